import { and, asc, desc, eq, gt } from "drizzle-orm";
import { channels } from "./channels.ts";
import { type Db, database, inTransaction } from "./database.ts";
import { runPrepared } from "./prepared.ts";
import { apiRequests } from "./schema.ts";

/** An answered API request as stored: bodies are redacted, `sequence` grows in the order in which rows become visible. */
export type ApiRequest = typeof apiRequests.$inferSelect;

// Any number that no other advisory lock of this database has.
const writingLock = 4_712_019;

/** Writes a set of answered requests in one go and keeps the newest `keptMax` of each client. Readers are notified. */
export async function insertApiRequests(requests: Omit<ApiRequest, "sequence">[], keptMax: number): Promise<void> {
  const clientIds = [...new Set(requests.map(({ clientId }) => clientId))];
  const rows = requests.map((request) => ({ ...request, answeredRealAt: request.answeredRealAt.toISOString() }));
  await inTransaction(async (_tx, connection) => {
    await connection.query("select pg_advisory_xact_lock($1)", [writingLock]);
    await runPrepared(connection, insertAll, [JSON.stringify(rows)]);
    await runPrepared(connection, deleteOlder, [clientIds, keptMax]);
  });
}

const insertAll = {
  name: "insert_api_requests",
  text: `
    with written as (
      insert into api_requests (client_id, request_id, trace_id, operation, method, path_template, path, status, reason,
        duration_ms, request_body, response_body, answered_real_at)
      select "clientId", "requestId", "traceId", operation, method, "pathTemplate", path, status, reason,
        "durationMs", "requestBody", "responseBody", "answeredRealAt"
      from json_to_recordset($1::json) as r ("clientId" text, "requestId" uuid, "traceId" text, operation text,
        method text, "pathTemplate" text, path text, status smallint, reason text, "durationMs" float8,
        "requestBody" json, "responseBody" json, "answeredRealAt" timestamptz)
    )
    select pg_notify('${channels.apiRequests}', '')`,
};

const deleteOlder = {
  name: "delete_older_api_requests",
  text: `
    delete from api_requests r
    using unnest($1::text[]) as c (id), lateral (
      select sequence from api_requests where client_id = c.id order by sequence desc offset $2 limit 1
    ) oldest
    where r.client_id = c.id and r.sequence <= oldest.sequence`,
};

/** A client's newest requests, newest first. */
export function listNewestApiRequests(
  db: Db,
  { clientId, limit }: { clientId: string; limit: number },
): Promise<ApiRequest[]> {
  return db
    .select()
    .from(apiRequests)
    .where(eq(apiRequests.clientId, clientId))
    .orderBy(desc(apiRequests.sequence))
    .limit(limit);
}

/** A client's requests after this one, oldest first, all of those that are kept. */
export function listApiRequestsAfter(clientId: string, sequence: number): Promise<ApiRequest[]> {
  return database()
    .select()
    .from(apiRequests)
    .where(and(eq(apiRequests.clientId, clientId), gt(apiRequests.sequence, sequence)))
    .orderBy(asc(apiRequests.sequence));
}
