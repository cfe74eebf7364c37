import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HttpListener } from "../../../kit/testing/http-listener.ts";
import { type Cell, cells, firstCell, inCell, schemaOf } from "../../cells.ts";
import { reconcile } from "../../operations/money/reconcile.ts";
import { readHealth } from "../../operations/read-health.ts";
import { readMetrics } from "../../operations/read-metrics.ts";
import { authorizeVisit } from "../../operations/visits/finish-visit.ts";
import { allRules } from "../../sandbox/checks/all-rules.ts";
import { followClientCells } from "../../storage/client-cells.ts";
import { servicePool } from "../../storage/database.ts";
import { findCanaries } from "../../testing/canaries.ts";
import { startListeningService } from "../../testing/listening-service.ts";
import { live } from "../../testing/partners/live.ts";
import { Partner } from "../../testing/partners/partner.ts";
import { insertTestUser } from "../../testing/people.ts";
import { bookTestRoutine, type ClientWithSeller, createClientWithSeller } from "../../testing/routines.ts";
import { callerOf, issueTestTokens } from "../../testing/tokens.ts";
import { useTwoCells } from "../../testing/two-cells.ts";
import { openTestVisit } from "../../testing/visits.ts";
import { startServiceWorkers } from "../../workers/start-workers.ts";

// Two cells. Calls outside of `inCell` are routed.

let service: HttpListener;
const endings: { stop: () => Promise<void> }[] = [];
beforeAll(async () => {
  service = await startListeningService();
  await useTwoCells();
  endings.push(await followClientCells(), startServiceWorkers(), service);
});
afterAll(async () => {
  for (const { stop } of endings) await stop();
});

const common = () => inCell(firstCell, servicePool);

test("a partner's whole journey keeps every rule in both cells at once", async () => {
  const kept = Object.fromEntries(allRules.map(({ id }) => [id, "kept"]));
  const lived = await Promise.all(cells().map((cell) => inCell(cell, () => live(Partner, service.url))));
  for (const one of lived) expect(one).toEqual({ now: kept, anHourLater: kept });
});

test("no table of a cell holds a row of another cell's client", async () => {
  const { rows: tables } = await common().query<{ name: string }>(
    `select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where column_name = 'client_id' and table_schema = 'cell_2' and table_name <> 'client_cells'`,
  );
  expect(tables.length).toBeGreaterThan(15);
  for (const cell of cells()) {
    const counts = { own: 0, foreign: 0 };
    for (const { name } of tables) {
      const { rows } = await common().query(
        `select count(*) filter (where cell = $1)::int as own, count(*) filter (where cell is distinct from $1)::int as foreign
         from ${schemaOf(cell)}.${name} left join public.client_cells using (client_id)`,
        [cell],
      );
      counts.own += rows[0].own;
      counts.foreign += rows[0].foreign;
    }
    expect(counts.own).toBeGreaterThan(100);
    expect(counts.foreign).toBe(0);
  }
  const { rows } = await common().query("select count(*)::int as unused from cell_2.client_cells");
  expect(rows).toEqual([{ unused: 0 }]);
});

describe("concurrent requests of both cells", () => {
  let one: ClientWithSeller;
  let two: ClientWithSeller;
  beforeAll(async () => {
    one = await inCell(1, createClientWithSeller);
    two = await inCell(2, createClientWithSeller);
  });

  test("bookings, refreshes and token lookups never share a set", async () => {
    const attempts = [one, two].map(async (client, index) => {
      const { userId } = await inCell(index + 1, () => insertTestUser(client));
      return { client, refreshToken: (await inCell(index + 1, () => issueTestTokens(client, userId))).refreshToken };
    });
    const work = (await Promise.all(attempts)).flatMap((each) => Array.from({ length: 60 }, () => each));
    const mixed = work.flatMap((each, index) => [each, work[(index + 60) % 120] ?? each]);
    const answers = await Promise.all(
      mixed.flatMap(({ client, refreshToken }) => [
        book(client),
        client.call("GET", "/v1/accounts", { bearer: client.sellerToken }),
        client.call("POST", "/v1/oauth/token", { form: { grant_type: "refresh_token", refresh_token: refreshToken } }),
      ]),
    );
    expect(answers.filter(({ status }) => status >= 300).map(({ text }) => text)).toEqual([]);
    // In one event-loop turn, so a shared batcher would put them into one set.
    const callers = await Promise.all([one, two].map(({ businessToken }) => callerOf(businessToken)));
    const booked = await Promise.all(
      callers.flatMap((caller, index) => {
        const { operatingId: sourceId, walletId: destinationId } = index === 0 ? one : two;
        const book = () => bookTestRoutine({ caller }, { sourceId, destinationId, amountCents: 1 });
        return Array.from({ length: 10 }, () => inCell(index + 1, book));
      }),
    );
    expect(new Set(booked.map(({ kind }) => kind))).toEqual(new Set(["created"]));
    expect(await Promise.all([countRoutines(one, 1), countRoutines(two, 2)])).toEqual([130, 130]);
  });

  test("tokens of another cell's users, and of cells that don't exist, are unknown", async () => {
    const secret = two.sellerToken.slice("gwa_2.".length);
    expect(two.sellerToken).toMatch(/^gwa_2\.[\w-]{43}$/);
    expect(one.sellerToken).toMatch(/^gwa_[\w-]{43}$/);
    for (const token of [`gwa_${secret}`, `gwa_1.${secret}`, `gwa_3.${secret}`, `gwa_${"9".repeat(40)}.${secret}`]) {
      const { status, text } = await two.call("GET", "/v1/user", { bearer: token });
      expect([status, text]).toEqual([401, expect.stringContaining("invalid_token")]);
    }
  });

  test("an access token of either cell is redacted from the sandbox's events, wherever a client puts it", async () => {
    for (const client of [one, two]) {
      const { businessToken, sellerToken } = client;
      const body = { name: `for ${sellerToken}`, amount: 0, source_id: client.operatingId, destination_id: "none" };
      const headers = { "idempotency-key": randomUUID() };
      const booked = await client.call("POST", "/v1/routines/book", { body, bearer: businessToken, headers });
      expect(booked.status).toBe(400);
      await client.call("GET", `/v1/accounts?page=${sellerToken}`, { bearer: sellerToken });
      const { text } = await client.call("GET", "/sandbox/events?kind=call&limit=1000");
      expect(text).toMatch(/"name":"\[redacted\]"/);
      expect(text).toContain('"has_credential_in_url":true');
      expect(findCanaries(text, { businessToken, sellerToken })).toEqual([]);
    }
  });

  test("a visit's id routes to its cell; an id of no cell is unknown", async () => {
    const person = await inCell(2, () => insertTestUser(two));
    const key = await openTestVisitIn(2, two, person);
    expect(key.visitId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{8}0002$/);
    const elsewhere = { ...key, visitId: key.visitId.replace(/0002$/, "0003") };
    expect(await authorizeVisit(elsewhere)).toEqual({ kind: "not_open" });
    expect(await authorizeVisit(key)).toMatchObject({ kind: "authorized" });
  });

  test("metrics have a label per cell, and the health page reports the worst cell", async () => {
    await inCell(1, reconcile);
    await common().query("delete from cell_2.reconciliations");
    expect(await readHealth()).toMatchObject({ kind: "read", reconciliation: undefined });
    await inCell(2, reconcile);
    expect(await readHealth()).toMatchObject({ reconciliation: { problems: 0 } });
    const { text } = await readMetrics();
    for (const cell of cells()) expect(text).toContain(`plainbook_ledger_problems{cell="${cell}"} 0`);
    expect(text).toContain('plainbook_due_oldest_seconds{kind="transfer",cell="2"}');
    for (const cell of cells()) expect(text).toMatch(new RegExp(`plainbook_database_bytes\\{cell="${cell}"\\} \\d`));
  });

  test("an unavailable cell stops neither requests nor workers of the others", async () => {
    await common().query("alter schema cell_2 rename to cell_2_gone");
    try {
      expect((await book(two)).status).toBeGreaterThanOrEqual(500);
      const { json, status } = await book(one);
      expect(status).toBe(201);
      await expect.poll(() => statusOf(one, String(json["id"]))).toBe("processed");
      const { text } = await readMetrics();
      expect(text).toContain('plainbook_outbox_depth{cell="1"}');
      expect(text).not.toContain('plainbook_outbox_depth{cell="2"}');
    } finally {
      await common().query("alter schema cell_2_gone rename to cell_2");
    }
    const { json } = await book(two);
    await expect.poll(() => statusOf(two, String(json["id"]))).toBe("processed");
  });
});

async function book({ call, businessToken: bearer, operatingId, walletId }: ClientWithSeller) {
  const body = { name: "Payout", amount: 1, source_id: operatingId, destination_id: walletId };
  return call("POST", "/v1/routines/book", { bearer, body, headers: { "idempotency-key": randomUUID() } });
}

async function statusOf({ call, businessToken: bearer }: ClientWithSeller, routineId: string): Promise<unknown> {
  const { json } = await call("GET", `/v1/transfers?routine_id=${routineId}`, { bearer });
  const [transfer] = json["transfers"] as { id: string; status: string }[];
  return transfer?.status;
}

async function countRoutines({ clientId }: ClientWithSeller, cell: Cell): Promise<number> {
  const { rows } = await common().query(
    `select count(*)::int as count from ${schemaOf(cell)}.routines where client_id = $1`,
    [clientId],
  );
  return rows[0].count;
}

function openTestVisitIn(cell: Cell, client: ClientWithSeller, person: Awaited<ReturnType<typeof insertTestUser>>) {
  return inCell(cell, () => openTestVisit(client, person));
}
