ALTER TABLE "faults" ADD COLUMN "cut" text;--> statement-breakpoint
CREATE INDEX "users_business" ON "users" USING btree ("client_id") WHERE user_type = 'business';