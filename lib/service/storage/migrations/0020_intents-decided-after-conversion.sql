-- in steps: the constraint is validated without holding up the load
-- contract: nothing relies on a converted intent having that one status since record 0056
ALTER TABLE "user_intents" DROP CONSTRAINT "user_intents_converted_has_user";--> statement-breakpoint
ALTER TABLE "user_intents" ADD CONSTRAINT "user_intents_converted_has_user" CHECK (case when user_id is null then status <> 'converted_to_user' else status in ('converted_to_user', 'approved', 'rejected') end) NOT VALID;--> statement-breakpoint
ALTER TABLE "user_intents" VALIDATE CONSTRAINT "user_intents_converted_has_user";
