CREATE TABLE "inspector_entries" (
	"person_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"trace_id" text NOT NULL,
	"details" json NOT NULL,
	"occurred_real_at" timestamp with time zone NOT NULL,
	"kept_real_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "inspector_entries_person_id_id_pk" PRIMARY KEY("person_id","id")
);
--> statement-breakpoint
ALTER TABLE "inspector_entries" ADD CONSTRAINT "inspector_entries_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "inspector_entries_by_age" ON "inspector_entries" USING btree ("kept_real_at");--> statement-breakpoint
-- Once for a statement, however many entries it keeps.
CREATE FUNCTION announce_inspector_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce_change(person_id::text, 'inspector') FROM (SELECT DISTINCT person_id FROM kept) people;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER announce AFTER INSERT ON inspector_entries
  REFERENCING NEW TABLE AS kept FOR EACH STATEMENT EXECUTE FUNCTION announce_inspector_entries();
