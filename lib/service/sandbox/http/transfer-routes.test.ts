import { describe, expect, test } from "vitest";
import { ledgerRecord, sandboxTransferList } from "../../../contract/sandbox.ts";
import { newId } from "../../../kit/ids.ts";
import { database } from "../../storage/database.ts";
import { listTransfersOfClient } from "../../storage/routines.ts";
import { type ClientWithSeller, closeAccount, createClientWithSeller } from "../../testing/routines.ts";

function pay({ call, businessToken: bearer, operatingId, walletId }: ClientWithSeller) {
  const body = { name: "Payment", amount: 7.12, source_id: operatingId, destination_id: walletId };
  return call("POST", "/v1/routines/book", { bearer, body });
}

async function clientWithTransfer() {
  const client = await createClientWithSeller();
  const { json } = await pay(client);
  return { ...client, routineId: json["id"], statusPath: `/sandbox/transfers/${json["transfer_id"]}/status` };
}

describe("GET /sandbox/transfers", () => {
  test("200: newest first, in every status, none of another client", async () => {
    const [client, otherClient] = [await createClientWithSeller(), await createClientWithSeller()];
    const ids: unknown[] = [];
    for (const status of ["processed", "failed", "cancelled", "pending"]) {
      const { json } = await pay(client);
      ids.unshift(json["transfer_id"]);
      if (status !== "pending") {
        await client.call("POST", `/sandbox/transfers/${json["transfer_id"]}/status`, { body: { status } });
      }
    }
    await pay(otherClient);
    const answer = await client.call("GET", "/sandbox/transfers");
    expect(answer.status).toBe(200);
    const { transfers } = sandboxTransferList.parse(answer.json);
    expect(transfers.map(({ id }) => id)).toEqual(ids);
    expect(transfers.map(({ status }) => status)).toEqual(["pending", "cancelled", "failed", "processed"]);
    expect(transfers[0]).toMatchObject({ amount: 7.12, routine_name: "Payment", source_id: client.operatingId });
    const newest = await listTransfersOfClient(database(), { clientId: client.clientId, limit: 2 });
    expect(newest.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect((await client.call("GET", "/sandbox/transfers", { authorization: null })).status).toBe(401);
  });
});

describe("POST /sandbox/transfers/{id}/status", () => {
  test.each([
    ["processed", null, "completed", 24_992.88],
    ["failed", "unspecified", "failed", 25_000],
    ["cancelled", null, "cancelled", 25_000],
  ])("200: %s updates the routine and the balance", async (status, reason, routineStatus, balance) => {
    const { call, statusPath, routineId, businessToken: bearer, operatingId } = await clientWithTransfer();
    const answer = await call("POST", statusPath, { body: { status } });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ status, failure_reason: reason });
    expect((await call("GET", `/v1/routines/${routineId}`, { bearer })).json["status"]).toBe(routineStatus);
    expect((await call("GET", `/v1/accounts/${operatingId}`, { bearer })).json).toMatchObject({
      current_balance: balance,
      available_balance: balance,
    });
  });

  test("200: failed with a custom reason; 400: a reason without a failure, an unknown status", async () => {
    const { call, statusPath } = await clientWithTransfer();
    const processed = { status: "processed", failure_reason: "closed" };
    expect((await call("POST", statusPath, { body: processed })).json["errors"]).toMatchObject([
      { field: "failure_reason" },
    ]);
    expect((await call("POST", statusPath, { body: { status: "done" } })).status).toBe(400);
    const failed = { status: "failed", failure_reason: "returned_by_bank" };
    expect((await call("POST", statusPath, { body: failed })).json["failure_reason"]).toBe("returned_by_bank");
  });

  test("200: not updated before its creation, after the clock was reset", async () => {
    const client = await createClientWithSeller();
    const { call } = client;
    await call("POST", "/sandbox/clock/advance", { body: { seconds: 3600 } });
    const { json } = await pay(client);
    await call("POST", "/sandbox/clock/reset");
    const path = `/sandbox/transfers/${json["transfer_id"]}/status`;
    const transfer = (await call("POST", path, { body: { status: "processed" } })).json;
    expect(transfer).toMatchObject({ status: "processed", updated_at: transfer["created_at"] });
  });

  test("409: back to pending, or to a second final status", async () => {
    const { call, statusPath } = await clientWithTransfer();
    expect((await call("POST", statusPath, { body: { status: "pending" } })).json["reason"]).toBe("illegal_transition");
    await call("POST", statusPath, { body: { status: "cancelled" } });
    const repeated = await call("POST", statusPath, { body: { status: "processed" } });
    expect([repeated.status, repeated.json["reason"]]).toEqual([409, "illegal_transition"]);
  });

  test("404: another client's transfer", async () => {
    const { statusPath } = await clientWithTransfer();
    const { call } = await createClientWithSeller();
    expect((await call("POST", statusPath, { body: { status: "cancelled" } })).status).toBe(404);
  });
});

describe("POST /sandbox/accounts/{id}/fund", () => {
  test("200: the money comes from the funding account, whose balance goes below zero", async () => {
    const { call, walletId } = await createClientWithSeller();
    const answer = await call("POST", `/sandbox/accounts/${walletId}/fund`, { body: { amount: 10.01 } });
    expect([answer.status, answer.json["current_balance"]]).toEqual([200, 10.01]);
    const ledger = await call("GET", "/sandbox/ledger");
    expect(ledger.json["sum"]).toBe(0);
    expect(ledger.json["accounts"]).toContainEqual(
      expect.objectContaining({ type: "funding", current_balance: -25_010.01, user_id: null }),
    );
  });

  test("400: no amount; 404: another client's account; 422: a closed one", async () => {
    const [client, otherClient] = [await createClientWithSeller(), await createClientWithSeller()];
    const fund = (id: string, body: object = { amount: 1 }) =>
      client.call("POST", `/sandbox/accounts/${id}/fund`, { body });
    expect((await fund(client.walletId, {})).status).toBe(400);
    expect((await fund(otherClient.walletId)).status).toBe(404);
    expect((await fund(newId())).status).toBe(404);
    await closeAccount(database(), { id: client.walletId, clientId: client.clientId });
    expect((await fund(client.walletId)).json["reason"]).toBe("instrument_not_usable");
  });
});

describe("GET /sandbox/ledger", () => {
  test("200: accounts, holds and entries of this client, and their sum", async () => {
    const { call, statusPath, operatingId, walletId } = await clientWithTransfer();
    expect((await call("GET", "/sandbox/ledger")).json).toMatchObject({
      sum: 0,
      holds: [{ account_id: operatingId, amount: 7.12 }],
    });
    await call("POST", statusPath, { body: { status: "processed" } });
    const { json } = await call("GET", "/sandbox/ledger");
    expect(json).toMatchObject({ sum: 0, holds: [] });
    expect(json["accounts"]).toHaveLength(3);
    expect(json["entries"]).toHaveLength(4);
    for (const [account_id, amount] of [
      [operatingId, -7.12],
      [walletId, 7.12],
    ]) {
      expect(json["entries"]).toContainEqual(expect.objectContaining({ account_id, amount }));
    }
  });

  test("200: pages cover every account, hold, and posting, and each sums to 0", async () => {
    const [client, otherClient] = [await clientWithTransfer(), await clientWithTransfer()];
    await client.call("POST", client.statusPath, { body: { status: "processed" } });
    await otherClient.call("POST", otherClient.statusPath, { body: { status: "processed" } });
    await client.call("POST", `/sandbox/accounts/${client.walletId}/fund`, { body: { amount: 3 } });
    for (const status of ["pending", "cancelled", "failed"]) {
      const { json } = await pay(client);
      if (status !== "pending") {
        await client.call("POST", `/sandbox/transfers/${json["transfer_id"]}/status`, { body: { status } });
      }
    }
    const read = async (query: string) =>
      ledgerRecord.parse((await client.call("GET", `/sandbox/ledger${query}`)).json);
    const whole = await read("");
    expect(whole.next).toBeNull();
    expect([whole.accounts.length, whole.holds.length, whole.entries.length]).toEqual([3, 1, 6]);

    const pages = [await read("?limit=1")];
    for (let next = pages[0]?.next; next; next = pages.at(-1)?.next) {
      pages.push(await read(`?limit=1&starting_after=${next}`));
    }
    expect(pages).toHaveLength(7);
    for (const { accounts, holds, entries, sum } of pages) {
      expect(sum).toBe(0);
      const shown = accounts.map(({ id }) => id);
      expect(shown).toEqual(expect.arrayContaining([...holds, ...entries].map(({ account_id }) => account_id)));
    }
    expect(pages.flatMap(({ holds }) => holds)).toEqual(whole.holds);
    expect(pages.flatMap(({ entries }) => entries)).toEqual(whole.entries);
    const accounts = new Map(pages.flatMap((page) => page.accounts).map((account) => [account.id, account]));
    expect([...accounts.values()].sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(whole.accounts);
  });

  test.each(["limit=0", "limit=1001", "limit=a", "starting_after=1", "page=1"])("400: %s", async (query) => {
    const { call } = await createClientWithSeller();
    expect((await call("GET", `/sandbox/ledger?${query}`)).status).toBe(400);
    expect((await call("GET", "/sandbox/ledger?limit=1000")).status).toBe(200);
  });

  test("401: without the client's secret", async () => {
    const { call } = await createClientWithSeller();
    expect((await call("GET", "/sandbox/ledger", { authorization: null })).status).toBe(401);
  });
});
