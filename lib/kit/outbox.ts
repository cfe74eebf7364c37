import pg from "pg";
import { callWithin, messageWithoutData } from "./call-within.ts";
import { describeError } from "./describe-error.ts";
import { createDueWork } from "./due-work.ts";
import { timeOfId } from "./ids.ts";
import { log } from "./log.ts";

/** A message leaves the queue when a carrier accepts it, refuses it for good, or it expires. */
export type MessageOutcome = "waiting" | "sent" | "refused" | "expired";

export type SendOutcome = { kind: "sent"; reference?: string | undefined } | { kind: "refused"; reason: string };

/**
 * A table of messages with the columns `id`, `outcome`, `attempts`, `next_attempt_real_at`, `ends_real_at` and
 * `carrier_reference`. `send` gets `columns` by their SQL name. If it throws, the message is retried with the same id.
 */
export type Outbox<Row extends Record<string, string | null>> = {
  pool: pg.Pool;
  table: string;
  columns: readonly (keyof Row & string)[];
  send: (message: Row & { id: string }, call: { signal: AbortSignal }) => Promise<SendOutcome>;
  count?: (outcome: Exclude<MessageOutcome, "waiting"> | "failed") => void;
};

const inFlightMax = 100;
const timeoutMs = 10_000;
// Longer than an attempt, because the backoff starts at the claim so that a killed process's messages are retried too.
const firstPauseSeconds = 15;

/** The sender of one process; any number of processes can send. Each message is sent at least once. */
export type OutboxSender = {
  /** Starts an attempt of each due message. Returns the milliseconds until the next one; undefined if nothing is waiting. */
  sendWaiting: () => Promise<number | undefined>;
  /** Waits for the attempts in progress. */
  drain: () => Promise<void>;
};

export function createOutboxSender<Row extends Record<string, string | null>>(outbox: Outbox<Row>): OutboxSender {
  const { startDue, drain } = createDueWork({
    inFlightMax,
    claim: (limit) => claimWaiting(outbox, limit),
    work: (message) => attempt(outbox, message),
    findNextMs: () => findNextMs(outbox),
  });
  return { sendWaiting: startDue, drain };
}

async function claimWaiting<Row extends Record<string, string | null>>(
  outbox: Outbox<Row>,
  limit: number,
): Promise<(Row & { id: string })[]> {
  const { pool, count } = outbox;
  const table = pg.escapeIdentifier(outbox.table);
  const expired = await pool.query(
    `update ${table} set outcome = 'expired', next_attempt_real_at = null
     where outcome = 'waiting' and ends_real_at <= now() returning id`,
  );
  for (const { id } of expired.rows) {
    log().warn({ table: outbox.table, id }, "a message is too old to be sent");
    count?.("expired");
  }
  const columns = outbox.columns.map((name) => `, ${pg.escapeIdentifier(name)}`).join("");
  const claimed = await pool.query<Row & { id: string }>(
    `update ${table} set attempts = attempts + 1,
       next_attempt_real_at = now() + make_interval(secs => ${firstPauseSeconds} * power(2, least(attempts, 10)))
     where id in (
       select id from ${table} where outcome = 'waiting' and next_attempt_real_at <= now()
       order by next_attempt_real_at limit ${limit} for update skip locked
     )
     returning id${columns}`,
  );
  return claimed.rows;
}

async function findNextMs({ pool, table }: { pool: pg.Pool; table: string }): Promise<number | undefined> {
  const { rows } = await pool.query<{ ms: number | null }>(
    `select extract(epoch from min(least(next_attempt_real_at, ends_real_at)) - now())::float8 * 1000 as ms
     from ${pg.escapeIdentifier(table)} where outcome = 'waiting'`,
  );
  const ms = rows[0]?.ms ?? undefined;
  return ms === undefined ? undefined : Math.max(0, Math.ceil(ms));
}

/** How many messages in a table are waiting for their carrier, and how long the oldest has waited. */
export async function readBacklog({ pool, table }: { pool: pg.Pool; table: string }) {
  const { rows } = await pool.query<{ waiting: number; oldest: string | null }>(
    `select count(*)::int as waiting, min(id::text) as oldest from ${pg.escapeIdentifier(table)} where outcome = 'waiting'`,
  );
  const { waiting = 0, oldest = null } = rows[0] ?? {};
  return { waiting, oldestSeconds: oldest === null ? 0 : Math.max(0, Date.now() - timeOfId(oldest)) / 1000 };
}

/** The gauges' names and help texts. Their label is `app`. */
export const backlogGauges = {
  waiting: ["gangway_messages_waiting", "Texts and emails waiting for their carrier, by app."],
  oldest: ["gangway_messages_oldest_seconds", "How long the oldest of them has waited; 0 if none."],
} as const;

/** The backlog in Prometheus' text format. */
export async function outboxMetrics(app: string, outbox: { pool: pg.Pool; table: string }): Promise<string> {
  const { waiting, oldestSeconds } = await readBacklog(outbox);
  const lines = (gauge: readonly [name: string, help: string], value: number) => {
    const [name, help] = gauge;
    return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name}{app="${app}"} ${value}\n`;
  };
  return lines(backlogGauges.waiting, waiting) + lines(backlogGauges.oldest, oldestSeconds);
}

async function attempt<Row extends Record<string, string | null>>(
  { pool, table, send, count }: Outbox<Row>,
  message: Row & { id: string },
): Promise<void> {
  const { id } = message;
  let outcome: SendOutcome;
  try {
    outcome = await callWithin(timeoutMs, (call) => send(message, call));
  } catch (error) {
    log().warn({ table, id, reason: messageWithoutData(error) }, "a message could not be sent and will be retried");
    count?.("failed");
    return;
  }
  if (outcome.kind === "refused") {
    log().warn({ table, id, reason: messageWithoutData(new Error(outcome.reason)) }, "a carrier refused a message");
  }
  const reference = outcome.kind === "sent" ? (outcome.reference ?? null) : null;
  try {
    const { rowCount } = await pool.query(
      `update ${pg.escapeIdentifier(table)} set outcome = $2, carrier_reference = $3, next_attempt_real_at = null
       where id = $1 and outcome in ('waiting', 'expired')`,
      [id, outcome.kind, reference],
    );
    if (rowCount === 1) count?.(outcome.kind);
  } catch (error) {
    log().error({ table, id, error: describeError(error) }, "a message's outcome could not be stored");
  }
}
