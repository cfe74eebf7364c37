-- in steps: the constraints are validated without holding up the load
CREATE TABLE "account_parts" (
	"account_id" uuid NOT NULL,
	"number" smallint NOT NULL,
	"balance_cents" bigint NOT NULL,
	"held_cents" bigint NOT NULL,
	CONSTRAINT "account_parts_account_id_number_pk" PRIMARY KEY("account_id","number"),
	CONSTRAINT "account_parts_available_not_negative" CHECK (balance_cents - held_cents >= 0),
	CONSTRAINT "account_parts_held_not_negative" CHECK (held_cents >= 0)
);
--> statement-breakpoint
ALTER TABLE "account_parts" ADD CONSTRAINT "account_parts_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "parts" smallint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "holds" ADD COLUMN "part_number" smallint;
--> statement-breakpoint
-- The version before knows no parts: what it would write to a divided account is refused.
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_divided_is_empty" CHECK (parts = 0 or balance_cents = 0 and held_cents = 0) NOT VALID;
--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_parts_few" CHECK (parts >= 0 and parts <= case type when 'funding' then 0 else 16 end) NOT VALID;
--> statement-breakpoint
ALTER TABLE "accounts" VALIDATE CONSTRAINT "accounts_divided_is_empty";
--> statement-breakpoint
ALTER TABLE "accounts" VALIDATE CONSTRAINT "accounts_parts_few";
--> statement-breakpoint
CREATE FUNCTION refuse_loss_of_part() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a part of an account with money in it cannot be deleted'
    USING ERRCODE = 'restrict_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
END $$;
--> statement-breakpoint
CREATE TRIGGER account_parts_keep_money BEFORE DELETE ON account_parts
  FOR EACH ROW WHEN (OLD.balance_cents <> 0 OR OLD.held_cents <> 0) EXECUTE FUNCTION refuse_loss_of_part();
--> statement-breakpoint
CREATE TRIGGER account_parts_stay BEFORE UPDATE OF account_id, number OR TRUNCATE ON account_parts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_end_of_record();
