import { retryConflicts } from "../../../kit/transaction.ts";
import { type ClientTable, clientTables } from "../../storage/client-rows.ts";
import {
  beginReading,
  beginTakingIn,
  bringBack,
  clearRows,
  commit,
  connectForMove,
  copyNewerRows,
  copyRows,
  copyRowsAnew,
  findClientOfSameHint,
  findResidence,
  holdEvents,
  type Move,
  type MoveConnection,
  type Residence,
  readAge,
  readContents,
  readSchema,
  sendAway,
  takeInClient,
  waitForTransactions,
} from "../../storage/move-client.ts";

/** The addresses of two databases with the same schema, each leading to PostgreSQL itself. */
export type Databases = { sourceUrl: string; targetUrl: string };

/** What came of a move: how many rows went, and how long the client was served nowhere. Or why there is nothing to move. */
export type MoveOutcome =
  | { kind: "moved"; rows: number; pauseMs: number }
  | { kind: "moved_before" | "client_unknown" | "lives_in_both" | "other_schema" }
  | { kind: "same_digits"; otherClientId: string };

/**
 * Moves a client with all that is its own to another database, while it is served: first most of its rows are copied; then it
 * is away from here, so that what is asked for it is refused with 503; then what was written meanwhile is copied, all of it
 * compared, and it is served there. The other clients are served all the time. When this throws, the client lives where it
 * lived before, or, where the other database has become silent at the last moment, in neither until the same is done again.
 */
export function moveClient(
  clientId: string,
  { sourceUrl, targetUrl }: Databases,
  { patienceMs = 60_000 }: { patienceMs?: number } = {},
): Promise<MoveOutcome> {
  // Who sweeps old rows there, for one, may lock what this deletes, in another order.
  return retryConflicts(() => attemptMove(clientId, { sourceUrl, targetUrl }, patienceMs));
}

function attemptMove(clientId: string, { sourceUrl, targetUrl }: Databases, patienceMs: number): Promise<MoveOutcome> {
  return between({ sourceUrl, targetUrl }, async ({ source, target }) => {
    const move = { source, target, clientId };
    if ((await readSchema(source)) !== (await readSchema(target))) return { kind: "other_schema" };
    const [livesHere, livesThere] = await residences(move);
    if (livesHere === "here" && livesThere === "here") return { kind: "lives_in_both" };
    if (livesThere === "here") return { kind: "moved_before" };
    if (livesHere === "unknown") return { kind: "client_unknown" };
    const otherClientId = await findClientOfSameHint(source, clientId);
    if (otherClientId) return { kind: "same_digits", otherClientId };

    await beginTakingIn(target, clientId);
    const { age, rows } = await copyEarly(move);
    const awayFrom = performance.now();
    await sendAway(source, clientId);
    try {
      await waitForTransactions(source, patienceMs);
      const more = await copyRest(move, age);
      await commit(target);
      return { kind: "moved", rows: rows + more, pauseMs: performance.now() - awayFrom };
    } catch (error) {
      await returnFrom(move, { sourceUrl, targetUrl }, error);
      throw error;
    }
  });
}

/**
 * Deletes the rows that a client has left behind in the database from which it was moved. Returns how many; undefined, and
 * nothing is deleted, unless it is away there and lives in the other one.
 */
export function clearMovedClient(clientId: string, databases: Databases): Promise<number | undefined> {
  return between(databases, async ({ source, target }) => {
    const [livesHere, livesThere] = await residences({ source, target, clientId });
    return livesHere === "away" && livesThere === "here" ? clearRows(source, clientId) : undefined;
  });
}

function residences({ source, target, clientId }: Move): Promise<[Residence, Residence]> {
  return Promise.all([findResidence(source, clientId), findResidence(target, clientId)]);
}

async function copyEarly(move: Move): Promise<{ age: string; rows: number }> {
  await beginReading(move.source);
  const age = await readAge(move.source);
  let rows = 0;
  for (const table of clientTables) if (table.isCopiedEarly) rows += await copyRows(move, table);
  await commit(move.source);
  return { age, rows };
}

async function copyRest(move: Move, age: string): Promise<number> {
  await beginReading(move.source);
  await holdEvents(move.target);
  let rows = 0;
  for (const table of clientTables) {
    rows += table.isCopiedEarly ? await copyNewerRows(move, table, age) : await copyRowsAnew(move, table);
  }
  const differing = await findDiffering(move, clientTables);
  // Rows of these were deleted meanwhile, as whatever is kept for a time is.
  for (const table of differing) rows += await copyRowsAnew(move, table);
  const wrong = await findDiffering(move, differing);
  if (wrong.length > 0) {
    throw new Error(`What was copied is not what there is, in ${wrong.map(({ name }) => name).join(", ")}.`);
  }
  await takeInClient(move);
  await commit(move.source);
  return rows;
}

async function findDiffering({ source, target, clientId }: Move, tables: ClientTable[]): Promise<ClientTable[]> {
  const [wanted, copied] = await Promise.all([
    readContents(source, clientId, tables),
    readContents(target, clientId, tables),
  ]);
  return tables.filter(({ name }) => wanted.get(name) !== copied.get(name));
}

// Whether the other database has taken the client in can be unknown: its COMMIT may have got through before the connection
// broke. So it is asked, on another connection, and if it does not answer the client stays away from both.
async function returnFrom(move: Move, { sourceUrl, targetUrl }: Databases, cause: unknown): Promise<void> {
  await move.target.end().catch(() => undefined);
  try {
    await between({ sourceUrl, targetUrl }, async ({ source, target }) => {
      await waitForTransactions(target, 10_000);
      if ((await findResidence(target, move.clientId)) !== "here") await bringBack(source, move.clientId);
    });
  } catch (error) {
    const sentence =
      "The client is served in neither database now, because one of them no longer answers. Do the same again.";
    throw new AggregateError([cause, error], sentence);
  }
}

async function between<T>(
  { sourceUrl, targetUrl }: Databases,
  work: (ends: { source: MoveConnection; target: MoveConnection }) => Promise<T>,
): Promise<T> {
  const source = await connectForMove(sourceUrl);
  try {
    const target = await connectForMove(targetUrl);
    try {
      return await work({ source, target });
    } finally {
      await target.end().catch(() => undefined);
    }
  } finally {
    await source.end().catch(() => undefined);
  }
}
