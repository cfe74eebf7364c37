import { createHash } from "node:crypto";
import type { PgTable } from "drizzle-orm/pg-core";
import pg from "pg";
import * as tables from "../../../lib/service/storage/schema.ts";
import { copyRows } from "./copy-rows.ts";
import type { BenchClient } from "./people.ts";

/** A busy service's row counts at scale 1. */
const goal = { clients: 20_000, users: 1_000_000, transfers: 10_000_000, deliveries: 1_000_000 };

const dayMs = 24 * 3600 * 1000;
const long = new Date(Date.now() - 20 * dayMs);
const later = new Date(Date.now() + dayMs);
const times = { createdAt: long, updatedAt: long };

type Filling = {
  clients: number;
  users: number;
  transfers: number;
  deliveries: number;
  copy: <Table extends PgTable>(
    table: Table,
    count: number,
    row: (index: number) => Table["$inferInsert"],
  ) => Promise<void>;
};

/**
 * Fills the service's database with COPY and a balanced ledger. Half of the transfers belong to the given client; the
 * rest belong to many other clients with webhooks that wait for a retry.
 */
export async function fillService(
  databaseUrl: string,
  client: BenchClient,
  { scale, say }: { scale: number; say: (sentence: string) => void },
): Promise<void> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  // Skips foreign keys and triggers, which would take hours and wake every worker.
  await database.query("set session_replication_role = replica");
  await database.query("set synchronous_commit = off");
  const sized = (count: number) => Math.ceil(count * scale);
  const filling: Filling = {
    clients: sized(goal.clients),
    users: sized(goal.users),
    transfers: sized(goal.transfers),
    deliveries: sized(goal.deliveries),
    copy: (table, count, row) => copyRows(database, table, count, row),
  };
  const steps = { clients: fillClients, users: fillUsers, transfers: fillTransfers, deliveries: fillDeliveries };
  for (const [name, step] of Object.entries(steps)) {
    const startedAt = performance.now();
    await step(filling, client);
    say(`${name} filled in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  }
  await bookOwnTransfers(database, filling, client);
  await database.query("vacuum analyze");
  await database.query("checkpoint");
  await database.end();
}

async function fillClients({ clients, copy }: Filling): Promise<void> {
  await copy(tables.clients, clients, (index) => ({
    id: clientOf(index, clients),
    name: "Filler",
    secretHash: hash("client", index),
    redirectUris: [],
    provider: "partner",
    businessProfileId: id("profile", index),
  }));
  // Nothing listens at this URL, and the next attempts are a day away.
  await copy(tables.webhookEndpoints, clients, (index) => ({
    clientId: clientOf(index, clients),
    url: "http://127.0.0.1:9",
    secretEncrypted: "",
  }));
}

async function fillUsers({ clients, users, transfers, copy }: Filling): Promise<void> {
  await copy(tables.users, users, (index) => ({
    id: id("user", index),
    clientId: clientOf(index, clients),
    userType: "personal" as const,
    status: "approved" as const,
    firstName: "Grace",
    lastName: "Hopper",
    email: "grace@example.com",
    phone: `+1999${String(index).padStart(7, "0")}`,
    ...times,
  }));
  const received = countBy(transfers, users, (index) => (isOwn(index) ? undefined : userOf(index, users)));
  await copy(tables.accounts, users, (index) => ({
    id: id("wallet", index),
    clientId: clientOf(index, clients),
    userId: id("user", index),
    name: "Wallet",
    type: "wallet" as const,
    mask: "2000",
    balanceCents: received[index] ?? 0,
    createdAt: long,
  }));
  const paid = new Int32Array(clients);
  for (const [index, cents] of received.entries()) paid[index % clients] = (paid[index % clients] ?? 0) + cents;
  // Funds the other accounts; only this account type can be negative.
  await copy(tables.accounts, clients, (index) => ({
    id: id("funding", index),
    clientId: clientOf(index, clients),
    name: "Funding",
    type: "funding" as const,
    mask: "1000",
    balanceCents: -(paid[index] ?? 0),
    createdAt: long,
  }));
  await copy(tables.authorizations, users, (index) => ({
    id: id("authorization", index),
    clientId: clientOf(index, clients),
    userId: id("user", index),
    createdAt: long,
  }));
  for (const table of [tables.accessTokens, tables.refreshTokens]) {
    await copy(table, users, (index) => ({
      tokenHash: hash("token", index),
      authorizationId: id("authorization", index),
      clientId: clientOf(index, clients),
      userId: id("user", index),
      expiresAt: later,
      createdAt: long,
    }));
  }
}

async function fillTransfers({ clients, users, transfers, copy }: Filling, client: BenchClient): Promise<void> {
  const { clientId, businessUserId, sourceIds, sellers } = client;
  const ownerOf = (index: number) =>
    isOwn(index)
      ? { clientId, userId: businessUserId }
      : { clientId: clientOf(userOf(index, users), clients), userId: id("user", userOf(index, users)) };
  const endsOf = (index: number) => {
    const user = userOf(index, users);
    if (!isOwn(index)) return { sourceId: id("funding", user % clients), destinationId: id("wallet", user) };
    const turn = index / 2;
    const seller = sellers[turn % sellers.length];
    return { sourceId: sourceIds[turn % sourceIds.length] ?? "", destinationId: seller?.walletId ?? "" };
  };
  await copy(tables.routines, transfers, (index) => ({
    id: id("routine", index),
    ...ownerOf(index),
    name: "Payout",
    status: "completed" as const,
    traceId: "",
    ...times,
  }));
  await copy(tables.transfers, transfers, (index) => ({
    id: id("transfer", index),
    routineId: id("routine", index),
    ...ownerOf(index),
    ...endsOf(index),
    amountCents: 1,
    status: "processed" as const,
    ...times,
  }));
  await copy(tables.entries, 2 * transfers, (index) => {
    const transfer = Math.floor(index / 2);
    const { sourceId, destinationId } = endsOf(transfer);
    const isTaken = index % 2 === 0;
    return {
      postingId: id("transfer", transfer),
      accountId: isTaken ? sourceId : destinationId,
      transferId: id("transfer", transfer),
      amountCents: isTaken ? -1 : 1,
      createdAt: long,
    };
  });
}

async function fillDeliveries({ clients, users, deliveries, copy }: Filling): Promise<void> {
  await copy(tables.deliveries, deliveries, (index) => ({
    id: id("delivery", index),
    clientId: clientOf(index, clients),
    webhookType: "user_updated" as const,
    resourceId: id("user", index % users),
    body: "{}",
    status: "pending" as const,
    attempts: 1,
    nextAttemptRealAt: later,
    traceId: "",
    createdAt: long,
  }));
}

async function bookOwnTransfers(
  database: pg.Client,
  { transfers }: Filling,
  { sourceIds, sellers }: BenchClient,
): Promise<void> {
  await database.query("reset session_replication_role");
  await database.query(
    `update accounts a set balance_cents = balance_cents + moved.cents
     from (select account_id, sum(amount_cents) as cents from entries
       where posting_id between $1 and $2 and account_id = any ($3::uuid[]) group by account_id) moved
     where a.id = moved.account_id`,
    [id("transfer", 0), id("transfer", transfers), [...sourceIds, ...sellers.map(({ walletId }) => walletId)]],
  );
}

function isOwn(transfer: number): boolean {
  return transfer % 2 === 0;
}

function userOf(transfer: number, users: number): number {
  return Math.floor(transfer / 2) % users;
}

function clientOf(user: number, clients: number): string {
  return `filler-${user % clients}`;
}

const kinds = ["profile", "user", "wallet", "funding", "authorization", "routine", "transfer", "delivery"] as const;

/** An id that sorts by its number, and before every time-ordered id of the service. */
function id(kind: (typeof kinds)[number], index: number): string {
  return `0180000${kinds.indexOf(kind)}-0000-7000-8000-${index.toString(16).padStart(12, "0")}`;
}

function hash(kind: string, index: number): Buffer {
  return createHash("sha256").update(`${kind} ${index}`).digest();
}

function countBy(total: number, groups: number, groupOf: (index: number) => number | undefined): Int32Array {
  const counts = new Int32Array(groups);
  for (let index = 0; index < total; index++) {
    const group = groupOf(index);
    if (group !== undefined) counts[group] = (counts[group] ?? 0) + 1;
  }
  return counts;
}
