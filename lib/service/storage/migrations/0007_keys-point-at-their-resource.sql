ALTER TABLE "idempotency_keys" ADD COLUMN "resource_id" uuid;--> statement-breakpoint
UPDATE "idempotency_keys" SET "resource_id" = ("response_body"::json ->> 'id')::uuid;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ALTER COLUMN "resource_id" SET NOT NULL;
