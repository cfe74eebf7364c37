-- in steps: existing rows are checked beside the load
ALTER TABLE "idempotency_keys" ALTER COLUMN "fingerprint" DROP NOT NULL, ALTER COLUMN "resource_id" DROP NOT NULL, ADD COLUMN "voided_real_at" timestamp with time zone, ADD CONSTRAINT "idempotency_keys_used_or_voided" CHECK (num_nonnulls(resource_id, voided_real_at) = 1 and (fingerprint is null) = (resource_id is null)) NOT VALID;
--> statement-breakpoint
ALTER TABLE "idempotency_keys" VALIDATE CONSTRAINT "idempotency_keys_used_or_voided";
