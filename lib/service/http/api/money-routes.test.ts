import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { accountList } from "../../../contract/accounts.ts";
import { routineList, routineRecord, transferList, transferRecord } from "../../../contract/routines.ts";
import { newId } from "../../../kit/ids.ts";
import { serviceConfig } from "../../config.ts";
import { settleDueTransfers } from "../../operations/money/settle-transfers.ts";
import { closeAccount } from "../../storage/accounts.ts";
import { database } from "../../storage/database.ts";
import { clients, idempotencyKeys, users } from "../../storage/schema.ts";
import { advanceTestClock } from "../../testing/authorization-pages.ts";
import { holdRows } from "../../testing/hold-rows.ts";
import { createFixture, issueTestTokens } from "../../testing/money.ts";

type Fixture = Awaited<ReturnType<typeof createFixture>>;

function bodyFor({ operatingId, walletId }: Fixture, amount: unknown = 12.34) {
  return { name: "Payout", amount, source_id: operatingId, destination_id: walletId };
}

function book(fixture: Fixture, body: unknown, key?: string) {
  const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  return fixture.call("POST", "/v1/routines/book", { bearer: fixture.businessToken, body, headers });
}

function read(fixture: Fixture, path: string, bearer = fixture.businessToken) {
  return fixture.call("GET", path, { bearer });
}

describe("GET /v1/accounts", () => {
  test("200: the user's payment instruments with current and available balance", async () => {
    const fixture = await createFixture();
    await book(fixture, bodyFor(fixture));
    const { status, json } = await read(fixture, "/v1/accounts");
    expect(status).toBe(200);
    const { count, accounts } = accountList.parse(json);
    expect(count).toBe(1);
    expect(accounts[0]).toMatchObject({
      id: fixture.operatingId,
      type: "operating",
      currency: "USD",
      current_balance: 25_000,
      available_balance: 24_987.66,
      status: "open",
    });
  });

  test("401: without a token, with an unknown one, with one in the query", async () => {
    const fixture = await createFixture();
    const none = await fixture.call("GET", "/v1/accounts", { authorization: null });
    expect([none.status, none.json["reason"]]).toEqual([401, "missing_token"]);
    const unknown = await read(fixture, "/v1/accounts", "gwa_unknown");
    expect([unknown.status, unknown.json["reason"]]).toEqual([401, "invalid_token"]);
    const query = await fixture.call("GET", `/v1/accounts?access_token=${fixture.businessToken}`, {
      authorization: null,
    });
    expect(query.status).toBe(401);
  });

  test("401: expired and superseded are told apart", async () => {
    const fixture = await createFixture();
    await issueTestTokens(fixture.client, fixture.businessUserId);
    expect((await read(fixture, "/v1/accounts")).json["reason"]).toBe("token_superseded");
    await advanceTestClock(fixture.client, 7200);
    const expired = await read(fixture, "/v1/accounts");
    expect(expired.json["reason"]).toBe("token_expired");
    expect(expired.headers.get("www-authenticate")).toContain('error="invalid_token"');
  });
});

describe("GET /v1/accounts/{id}", () => {
  test("200: one's own; 404: anybody else's, nobody's and what is no id, in the same words", async () => {
    const fixture = await createFixture();
    expect((await read(fixture, `/v1/accounts/${fixture.operatingId}`)).json).toMatchObject({
      id: fixture.operatingId,
    });
    const answers = [fixture.walletId, newId(), "x"].map((id) => read(fixture, `/v1/accounts/${id}`));
    const bodies = (await Promise.all(answers)).map(({ status, json }) => ({ ...json, status, request_id: "" }));
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(bodies[0]).toMatchObject({ status: 404, reason: "not_found" });
  });
});

describe("POST /v1/routines/book", () => {
  test("201: the routine, active, with its transfer pending", async () => {
    const fixture = await createFixture();
    const { status, json, headers } = await book(fixture, bodyFor(fixture));
    expect(status).toBe(201);
    expect(headers.get("idempotent-replayed")).toBeNull();
    const routine = routineRecord.parse(json);
    expect(routine).toMatchObject({ ...bodyFor(fixture), type: "one-time", status: "active", active: true });
    const transfer = await read(fixture, `/v1/transfers/${routine.transfer_id}`);
    expect(transferRecord.parse(transfer.json)).toMatchObject({
      routine_id: routine.id,
      routine_name: "Payout",
      amount: 12.34,
      status: "pending",
      failure_reason: null,
    });
    expect((await read(fixture, `/v1/routines/${routine.id}`)).json).toEqual(json);
  });

  test("201: a repetition with its key, quoted or in capitals, is the first answer to the byte", async () => {
    const fixture = await createFixture();
    const key = randomUUID();
    const first = await book(fixture, bodyFor(fixture), key);
    for (const same of [key, `"${key}"`, key.toUpperCase()]) {
      const again = await book(fixture, { ...bodyFor(fixture), source_id: fixture.operatingId.toUpperCase() }, same);
      expect([again.status, again.text]).toEqual([201, first.text]);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
    }
    expect(routineList.parse((await read(fixture, "/v1/routines")).json).routines).toHaveLength(1);
  });

  test.each([
    ["the business was suspended", (fixture: Fixture) => setStatus(fixture, "suspended")],
    ["the business lost its profile", (fixture: Fixture) => setProfile(fixture)],
    ["the limit of an amount was lowered", (_fixture: Fixture) => lowerAmountMax()],
  ])(
    "201: a repetition with its key is the first answer though %s since, and a new key is refused",
    async (_, change) => {
      const fixture = await createFixture();
      const key = randomUUID();
      const first = await book(fixture, bodyFor(fixture), key);
      expect(first.status).toBe(201);
      const restore = await change(fixture);
      const again = await book(fixture, bodyFor(fixture), key);
      expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([201, first.text, "true"]);
      expect((await book(fixture, bodyFor(fixture), randomUUID())).status).toBeGreaterThanOrEqual(400);
      expect((await book(fixture, bodyFor(fixture, 0.5), key)).json["reason"]).toBe("idempotency_key_reused");
      restore?.();
    },
  );

  test("201: a repetition is the routine as it was created, though it has been completed since", async () => {
    const fixture = await createFixture();
    const key = randomUUID();
    const first = await book(fixture, bodyFor(fixture), key);
    const path = `/sandbox/transfers/${first.json["transfer_id"]}/status`;
    expect((await fixture.call("POST", path, { body: { status: "processed" } })).status).toBe(200);
    expect((await book(fixture, bodyFor(fixture), key)).text).toBe(first.text);
  });

  test("503: while another transaction holds the source account for longer than a request waits, for that account alone", async () => {
    const [fixture, other] = [await createFixture(), await createFixture()];
    const held = await holdRows("select from accounts where id = $1 for no key update", [fixture.operatingId]);
    const [stuck, free] = await Promise.all([book(fixture, bodyFor(fixture)), book(other, bodyFor(other))]);
    expect(free.status).toBe(201);
    expect([stuck.status, stuck.json["reason"], stuck.headers.get("retry-after")]).toEqual([503, "unavailable", "1"]);
    await held.release();
    expect((await book(fixture, bodyFor(fixture))).status).toBe(201);
    expect(routineList.parse((await read(fixture, "/v1/routines")).json).routines).toHaveLength(1);
  });

  test("201: one key in small letters, in capitals and in quotes at once makes one routine", async () => {
    const fixture = await createFixture();
    const key = randomUUID();
    const spellings = [key, key.toUpperCase(), `"${key}"`];
    const answers = await Promise.all(spellings.map((same) => book(fixture, bodyFor(fixture), same)));
    for (const { status, text } of answers) expect([status, text]).toEqual([201, answers[0]?.text]);
    expect(routineList.parse((await read(fixture, "/v1/routines")).json).routines).toHaveLength(1);
  });

  test("201: the same key belongs to each client for itself", async () => {
    const [one, other] = [await createFixture(), await createFixture()];
    const key = randomUUID();
    expect((await book(one, bodyFor(one), key)).status).toBe(201);
    const answer = await book(other, bodyFor(other), key);
    expect([answer.status, answer.headers.get("idempotent-replayed")]).toEqual([201, null]);
  });

  test.each([1.005, 12.345, -1, 0, "1.00", true, null, 1_000_000.01, 1e15])("400: an amount of %j", async (amount) => {
    const fixture = await createFixture();
    const { status, json } = await book(fixture, bodyFor(fixture, amount));
    expect([status, json["reason"]]).toEqual([400, "validation_failed"]);
    expect(json["errors"]).toMatchObject([{ field: "amount" }]);
  });

  test("400: an amount of 1e400, which JSON can say and no number can hold", async () => {
    const fixture = await createFixture();
    const rawBody = JSON.stringify(bodyFor(fixture, 1)).replace('"amount":1', '"amount":1e400');
    const headers = { "content-type": "application/json" };
    const answer = await fixture.call("POST", "/v1/routines/book", { bearer: fixture.businessToken, rawBody, headers });
    expect(answer.status).toBe(400);
  });

  test.each([
    ["an unknown field", { amout: 1 }, "amout"],
    ["no name", { name: "" }, "name"],
    ["a name of 101 characters", { name: "n".repeat(101) }, "name"],
    ["a source that is no id", { source_id: "operating" }, "source_id"],
    ["a destination that is no id", { destination_id: "wallet" }, "destination_id"],
  ])("400: %s, by name", async (_, change, field) => {
    const fixture = await createFixture();
    const { status, json } = await book(fixture, { ...bodyFor(fixture), ...change });
    expect([status, json["reason"]]).toEqual([400, "validation_failed"]);
    expect(json["errors"]).toMatchObject([{ field }]);
  });

  test.each(["name", "amount", "source_id", "destination_id"])("400: %s is required", async (field) => {
    const fixture = await createFixture();
    const { status, json } = await book(fixture, { ...bodyFor(fixture), [field]: undefined });
    expect(status).toBe(400);
    expect(json["errors"]).toEqual([{ field, message: "This field is required." }]);
  });

  test("400: source and destination are the same", async () => {
    const fixture = await createFixture();
    const same = { ...bodyFor(fixture), destination_id: fixture.operatingId.toUpperCase() };
    expect((await book(fixture, same)).json["errors"]).toMatchObject([{ field: "destination_id" }]);
  });

  test.each(["1", "", "{}", "not-a-uuid"])("400: an idempotency key of %j", async (key) => {
    const fixture = await createFixture();
    expect((await book(fixture, bodyFor(fixture), key)).json["reason"]).toBe("invalid_idempotency_key");
  });

  test("403: a personal user, before anything of the body is looked at", async () => {
    const fixture = await createFixture();
    const { status, json } = await book({ ...fixture, businessToken: fixture.sellerToken }, {});
    expect([status, json["reason"]]).toEqual([403, "business_user_required"]);
  });

  test("403: a business user of another business profile than the client's", async () => {
    const fixture = await createFixture();
    await database().update(clients).set({ businessProfileId: newId() }).where(eq(clients.id, fixture.clientId));
    const { status, json } = await book(fixture, bodyFor(fixture));
    expect([status, json["reason"]]).toEqual([403, "business_user_required"]);
  });

  test("403: a business user who is suspended", async () => {
    const fixture = await createFixture();
    await database().update(users).set({ status: "suspended" }).where(eq(users.id, fixture.businessUserId));
    const { status, json } = await book(fixture, {});
    expect([status, json["reason"]]).toEqual([403, "user_not_approved"]);
  });

  test("404: a source that is not the business user's, a destination of another client", async () => {
    const [fixture, other] = [await createFixture(), await createFixture()];
    const foreign = { source_id: fixture.walletId, destination_id: fixture.operatingId };
    expect((await book(fixture, { ...bodyFor(fixture), ...foreign })).status).toBe(404);
    expect((await book(fixture, { ...bodyFor(fixture), destination_id: other.walletId })).status).toBe(404);
    expect((await book(fixture, { ...bodyFor(fixture), destination_id: newId() })).status).toBe(404);
  });

  test("422: an account that is closed, more than is available, a key used for something else", async () => {
    const fixture = await createFixture();
    const key = randomUUID();
    expect((await book(fixture, bodyFor(fixture, 25_000.01), key)).json["reason"]).toBe("insufficient_funds");
    expect((await book(fixture, bodyFor(fixture, 1), key)).status).toBe(201);
    expect((await book(fixture, bodyFor(fixture, 2), key)).json["reason"]).toBe("idempotency_key_reused");
    await closeAccount(database(), { id: fixture.walletId, clientId: fixture.clientId });
    const closed = await book(fixture, bodyFor(fixture, 1));
    expect([closed.status, closed.json["reason"]]).toEqual([422, "instrument_not_usable"]);
  });

  test("any refusal: no routine, no hold, no key", async () => {
    const [fixture, other] = [await createFixture(), await createFixture()];
    const refused: [unknown, number][] = [
      [bodyFor(fixture, 25_000.01), 422],
      [bodyFor(fixture, 0), 400],
      [{ ...bodyFor(fixture), source_id: newId() }, 404],
      [{ ...bodyFor(fixture), destination_id: newId() }, 404],
      // Of these the database itself would not mind.
      [{ ...bodyFor(fixture), destination_id: other.walletId }, 404],
    ];
    for (const [body, status] of refused) expect((await book(fixture, body, randomUUID())).status).toBe(status);
    expect(routineList.parse((await read(fixture, "/v1/routines")).json).routines).toEqual([]);
    expect((await read(fixture, `/v1/accounts/${fixture.operatingId}`)).json["available_balance"]).toBe(25_000);
    const keys = await database().$count(idempotencyKeys, eq(idempotencyKeys.clientId, fixture.clientId));
    expect(keys).toBe(0);
  });
});

describe("GET /v1/routines", () => {
  test("200: newest first, in parts that join without gap or repetition", async () => {
    const fixture = await createFixture();
    for (const amount of [1, 2, 3, 4, 5]) await book(fixture, bodyFor(fixture, amount));
    const amounts: number[] = [];
    let next: string | null = null;
    do {
      const after: string = next === null ? "" : `&starting_after=${next}`;
      const part = routineList.parse((await read(fixture, `/v1/routines?limit=2${after}`)).json);
      amounts.push(...part.routines.map(({ amount }) => amount));
      next = part.next;
    } while (next !== null);
    expect(amounts).toEqual([5, 4, 3, 2, 1]);
  });

  test("200: none of others", async () => {
    const fixture = await createFixture();
    await book(fixture, bodyFor(fixture));
    expect((await read(fixture, "/v1/routines", fixture.sellerToken)).json).toEqual({ routines: [], next: null });
  });

  test.each(["limit=0", "limit=101", "limit=two", "starting_after=x", "limit=1&limit=2", "order=asc"])(
    "400: %s",
    async (query) => {
      const fixture = await createFixture();
      expect((await read(fixture, `/v1/routines?${query}`)).json["reason"]).toBe("validation_failed");
    },
  );
});

describe("GET /v1/routines/{id}", () => {
  test("404: somebody else's, in the same words as one that does not exist", async () => {
    const fixture = await createFixture();
    const { json } = await book(fixture, bodyFor(fixture));
    const foreign = await read(fixture, `/v1/routines/${json["id"]}`, fixture.sellerToken);
    const missing = await read(fixture, `/v1/routines/${newId()}`, fixture.sellerToken);
    expect(foreign.status).toBe(404);
    expect({ ...foreign.json, request_id: "" }).toEqual({ ...missing.json, request_id: "" });
  });
});

describe("GET /v1/transfers and /v1/transfers/{transfer_id}", () => {
  test("200: readable by the routine's owner and by the owner of the destination", async () => {
    const fixture = await createFixture();
    const transferId = (await book(fixture, bodyFor(fixture))).json["transfer_id"];
    for (const bearer of [fixture.businessToken, fixture.sellerToken]) {
      expect((await read(fixture, `/v1/transfers/${transferId}`, bearer)).status).toBe(200);
      const { transfers } = transferList.parse((await read(fixture, "/v1/transfers", bearer)).json);
      expect(transfers.map(({ id }) => id)).toEqual([transferId]);
    }
  });

  test("404: for anybody else", async () => {
    const [fixture, other] = [await createFixture(), await createFixture()];
    const transferId = (await book(fixture, bodyFor(fixture))).json["transfer_id"];
    for (const bearer of [other.businessToken, other.sellerToken]) {
      expect((await read(fixture, `/v1/transfers/${transferId}`, bearer)).status).toBe(404);
      expect((await read(fixture, "/v1/transfers", bearer)).json).toEqual({ transfers: [], next: null });
    }
  });

  test("200: filtered by routine and by status, newest first, in parts", async () => {
    const fixture = await createFixture();
    const made = [];
    for (const amount of [1, 2.12, 3, 4.12]) made.push((await book(fixture, bodyFor(fixture, amount))).json);
    await advanceTestClock(fixture.client, 2);
    await settleDueTransfers();
    const list = async (query: string) => transferList.parse((await read(fixture, `/v1/transfers?${query}`)).json);
    expect((await list("status=pending")).transfers.map(({ amount }) => amount)).toEqual([4.12, 2.12]);
    expect((await list("status=processed")).transfers.map(({ amount }) => amount)).toEqual([3, 1]);
    expect((await list(`routine_id=${made[0]?.["id"]}`)).transfers.map(({ amount }) => amount)).toEqual([1]);
    const first = await list("status=pending&limit=1");
    expect(first.next).toBe(first.transfers[0]?.id);
    const second = await list(`status=pending&limit=1&starting_after=${first.next}`);
    expect([second.transfers[0]?.amount, second.next]).toEqual([2.12, null]);
    expect((await read(fixture, "/v1/transfers?status=done")).status).toBe(400);
  });

  test("200: processed, completed and paid once settled", async () => {
    const fixture = await createFixture();
    const { json } = await book(fixture, bodyFor(fixture, 100));
    await advanceTestClock(fixture.client, 2);
    await settleDueTransfers();
    expect((await read(fixture, `/v1/transfers/${json["transfer_id"]}`)).json["status"]).toBe("processed");
    expect((await read(fixture, `/v1/routines/${json["id"]}`)).json).toMatchObject({
      status: "completed",
      active: false,
    });
    const wallet = await read(fixture, `/v1/accounts/${fixture.walletId}`, fixture.sellerToken);
    expect(wallet.json).toMatchObject({ current_balance: 100, available_balance: 100 });
  });
});

async function setStatus(fixture: Fixture, status: "suspended"): Promise<undefined> {
  await database().update(users).set({ status }).where(eq(users.id, fixture.businessUserId));
}

async function setProfile(fixture: Fixture): Promise<undefined> {
  await database().update(users).set({ businessProfileId: randomUUID() }).where(eq(users.id, fixture.businessUserId));
}

async function lowerAmountMax(): Promise<() => void> {
  const config = serviceConfig();
  const { amountCentsMax } = config;
  config.amountCentsMax = 1;
  return () => {
    config.amountCentsMax = amountCentsMax;
  };
}
