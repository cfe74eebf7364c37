CREATE TABLE "sandbox_events" (
	"sequence" bigint GENERATED ALWAYS AS IDENTITY (sequence name "sandbox_events_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"client_id" text NOT NULL,
	"kind" text NOT NULL,
	"event" json NOT NULL,
	"joins" text[] NOT NULL,
	CONSTRAINT "sandbox_events_client_id_sequence_pk" PRIMARY KEY("client_id","sequence")
);
--> statement-breakpoint
DROP TABLE "api_requests" CASCADE;--> statement-breakpoint
ALTER TABLE "sandbox_events" ADD CONSTRAINT "sandbox_events_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sandbox_events_by_kind" ON "sandbox_events" USING btree ("client_id","kind","sequence");--> statement-breakpoint
CREATE INDEX "sandbox_events_by_join" ON "sandbox_events" USING gin ("joins");