-- in steps: an index for the few payments that Harbor found at the service
CREATE INDEX CONCURRENTLY "routines_found" ON "routines" USING btree ("destination_id") WHERE created_by is null;
