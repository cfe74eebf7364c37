CREATE TABLE "routine_comparison" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"database_identity" text,
	"covered_until_real_at" timestamp with time zone,
	"compared_real_at" timestamp with time zone,
	"due_real_at" timestamp with time zone,
	"is_partial" boolean DEFAULT false NOT NULL,
	"begins_at" timestamp with time zone,
	CONSTRAINT "routine_comparison_has_one_row" CHECK (is_only)
);
--> statement-breakpoint
ALTER TABLE "routines" ALTER COLUMN "created_by" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "routines" ADD COLUMN "missing_real_at" timestamp with time zone;