CREATE TABLE "faults" (
	"client_id" text NOT NULL,
	"operation" text NOT NULL,
	"status" smallint,
	"latency_ms" integer DEFAULT 0 NOT NULL,
	"remaining" integer NOT NULL,
	CONSTRAINT "faults_client_id_operation_pk" PRIMARY KEY("client_id","operation"),
	CONSTRAINT "faults_remaining_not_negative" CHECK (remaining >= 0)
);
--> statement-breakpoint
ALTER TABLE "clients" ADD COLUMN "has_faults" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "faults" ADD CONSTRAINT "faults_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE no action ON UPDATE no action;