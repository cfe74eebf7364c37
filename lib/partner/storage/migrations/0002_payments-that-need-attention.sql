-- in steps: payments are made while it is built
CREATE INDEX CONCURRENTLY "routines_attention" ON "routines" USING btree ("id") WHERE state in ('missing', 'conflicting');