CREATE TABLE "encryption_keys" (
	"key_id" text PRIMARY KEY NOT NULL,
	"current_since_real" timestamp with time zone DEFAULT now() NOT NULL,
	"rotated_real_at" timestamp with time zone,
	"failed_real_at" timestamp with time zone
);
