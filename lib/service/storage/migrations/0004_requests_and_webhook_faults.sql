CREATE TABLE "api_requests" (
	"sequence" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "api_requests_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"client_id" text NOT NULL,
	"request_id" uuid NOT NULL,
	"trace_id" text NOT NULL,
	"operation" text NOT NULL,
	"method" text NOT NULL,
	"path_template" text NOT NULL,
	"path" text NOT NULL,
	"status" smallint NOT NULL,
	"reason" text,
	"duration_ms" double precision NOT NULL,
	"request_body" json,
	"response_body" json,
	"answered_real_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_faults" (
	"client_id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"remaining" integer NOT NULL,
	CONSTRAINT "webhook_faults_remaining_not_negative" CHECK (remaining >= 0)
);
--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "fault" text;--> statement-breakpoint
ALTER TABLE "api_requests" ADD CONSTRAINT "api_requests_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_faults" ADD CONSTRAINT "webhook_faults_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_requests_by_client" ON "api_requests" USING btree ("client_id","sequence");