ALTER TABLE "webhook_receipts" ALTER COLUMN "user_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "webhook_receipts" ALTER COLUMN "resource_id" DROP NOT NULL;