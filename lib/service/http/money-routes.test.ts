import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { accountList } from "../../contract/accounts.ts";
import { routineList, routineRecord, transferList, transferRecord } from "../../contract/routines.ts";
import { newId } from "../../kit/ids.ts";
import { serviceConfig } from "../config.ts";
import { settleDueTransfers } from "../operations/settle-transfers.ts";
import { closeAccount } from "../storage/accounts.ts";
import { database } from "../storage/database.ts";
import { idempotencyKeys, users } from "../storage/schema.ts";
import { advanceTestClock } from "../testing/authorization-pages.ts";
import { holdRows } from "../testing/hold-rows.ts";
import { issueTestTokens, openTestHouse } from "../testing/money.ts";

type House = Awaited<ReturnType<typeof openTestHouse>>;

function bodyFor({ operatingId, walletId }: House, amount: unknown = 12.34) {
  return { name: "Payout", amount, source_id: operatingId, destination_id: walletId };
}

function book(house: House, body: unknown, key?: string) {
  const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  return house.call("POST", "/v1/routines/book", { bearer: house.businessToken, body, headers });
}

function read(house: House, path: string, bearer = house.businessToken) {
  return house.call("GET", path, { bearer });
}

describe("GET /v1/accounts", () => {
  test("200: the user's payment instruments with current and available balance", async () => {
    const house = await openTestHouse();
    await book(house, bodyFor(house));
    const { status, json } = await read(house, "/v1/accounts");
    expect(status).toBe(200);
    const { count, accounts } = accountList.parse(json);
    expect(count).toBe(1);
    expect(accounts[0]).toMatchObject({
      id: house.operatingId,
      type: "operating",
      currency: "USD",
      current_balance: 25_000,
      available_balance: 24_987.66,
      status: "open",
    });
  });

  test("401: without a token, with an unknown one, with one in the query", async () => {
    const house = await openTestHouse();
    const none = await house.call("GET", "/v1/accounts", { authorization: null });
    expect([none.status, none.json["reason"]]).toEqual([401, "missing_token"]);
    const unknown = await read(house, "/v1/accounts", "gwa_unknown");
    expect([unknown.status, unknown.json["reason"]]).toEqual([401, "invalid_token"]);
    const query = await house.call("GET", `/v1/accounts?access_token=${house.businessToken}`, { authorization: null });
    expect(query.status).toBe(401);
  });

  test("401: expired and superseded are told apart", async () => {
    const house = await openTestHouse();
    await issueTestTokens(house.client, house.businessUserId);
    expect((await read(house, "/v1/accounts")).json["reason"]).toBe("token_superseded");
    await advanceTestClock(house.client, 7200);
    const expired = await read(house, "/v1/accounts");
    expect(expired.json["reason"]).toBe("token_expired");
    expect(expired.headers.get("www-authenticate")).toContain('error="invalid_token"');
  });
});

describe("GET /v1/accounts/{id}", () => {
  test("200: one's own; 404: anybody else's, nobody's and what is no id, in the same words", async () => {
    const house = await openTestHouse();
    expect((await read(house, `/v1/accounts/${house.operatingId}`)).json).toMatchObject({ id: house.operatingId });
    const answers = [house.walletId, newId(), "x"].map((id) => read(house, `/v1/accounts/${id}`));
    const bodies = (await Promise.all(answers)).map(({ status, json }) => ({ ...json, status, request_id: "" }));
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(bodies[0]).toMatchObject({ status: 404, reason: "not_found" });
  });
});

describe("POST /v1/routines/book", () => {
  test("201: the routine, active, with its transfer pending", async () => {
    const house = await openTestHouse();
    const { status, json, headers } = await book(house, bodyFor(house));
    expect(status).toBe(201);
    expect(headers.get("idempotent-replayed")).toBeNull();
    const routine = routineRecord.parse(json);
    expect(routine).toMatchObject({ ...bodyFor(house), type: "one-time", status: "active", active: true });
    const transfer = await read(house, `/v1/transfers/${routine.transfer_id}`);
    expect(transferRecord.parse(transfer.json)).toMatchObject({
      routine_id: routine.id,
      routine_name: "Payout",
      amount: 12.34,
      status: "pending",
      failure_reason: null,
    });
    expect((await read(house, `/v1/routines/${routine.id}`)).json).toEqual(json);
  });

  test("201: a repetition with its key, quoted or in capitals, is the first answer to the byte", async () => {
    const house = await openTestHouse();
    const key = randomUUID();
    const first = await book(house, bodyFor(house), key);
    for (const same of [key, `"${key}"`, key.toUpperCase()]) {
      const again = await book(house, { ...bodyFor(house), source_id: house.operatingId.toUpperCase() }, same);
      expect([again.status, again.text]).toEqual([201, first.text]);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
    }
    expect(routineList.parse((await read(house, "/v1/routines")).json).routines).toHaveLength(1);
  });

  test.each([
    ["the business was suspended", (house: House) => setStatus(house, "suspended")],
    ["the business lost its profile", (house: House) => setProfile(house)],
    ["the limit of an amount was lowered", (_house: House) => lowerAmountMax()],
  ])(
    "201: a repetition with its key is the first answer though %s since, and a new key is refused",
    async (_, change) => {
      const house = await openTestHouse();
      const key = randomUUID();
      const first = await book(house, bodyFor(house), key);
      expect(first.status).toBe(201);
      const restore = await change(house);
      const again = await book(house, bodyFor(house), key);
      expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([201, first.text, "true"]);
      expect((await book(house, bodyFor(house), randomUUID())).status).toBeGreaterThanOrEqual(400);
      expect((await book(house, bodyFor(house, 0.5), key)).json["reason"]).toBe("idempotency_key_reused");
      restore?.();
    },
  );

  test("201: a repetition is the routine as it was created, though it has been completed since", async () => {
    const house = await openTestHouse();
    const key = randomUUID();
    const first = await book(house, bodyFor(house), key);
    const path = `/sandbox/transfers/${first.json["transfer_id"]}/status`;
    expect((await house.call("POST", path, { body: { status: "processed" } })).status).toBe(200);
    expect((await book(house, bodyFor(house), key)).text).toBe(first.text);
  });

  test("503: while another transaction holds the source account for longer than a request waits, for that account alone", async () => {
    const [house, other] = [await openTestHouse(), await openTestHouse()];
    const held = await holdRows("select from accounts where id = $1 for no key update", [house.operatingId]);
    const [stuck, free] = await Promise.all([book(house, bodyFor(house)), book(other, bodyFor(other))]);
    expect(free.status).toBe(201);
    expect([stuck.status, stuck.json["reason"], stuck.headers.get("retry-after")]).toEqual([503, "unavailable", "1"]);
    await held.release();
    expect((await book(house, bodyFor(house))).status).toBe(201);
    expect(routineList.parse((await read(house, "/v1/routines")).json).routines).toHaveLength(1);
  });

  test("201: the same key belongs to each client for itself", async () => {
    const [one, other] = [await openTestHouse(), await openTestHouse()];
    const key = randomUUID();
    expect((await book(one, bodyFor(one), key)).status).toBe(201);
    const answer = await book(other, bodyFor(other), key);
    expect([answer.status, answer.headers.get("idempotent-replayed")]).toEqual([201, null]);
  });

  test.each([1.005, 12.345, -1, 0, "1.00", true, null, 1_000_000.01, 1e15])("400: an amount of %j", async (amount) => {
    const house = await openTestHouse();
    const { status, json } = await book(house, bodyFor(house, amount));
    expect([status, json["reason"]]).toEqual([400, "validation_failed"]);
    expect(json["errors"]).toMatchObject([{ field: "amount" }]);
  });

  test("400: an amount of 1e400, which JSON can say and no number can hold", async () => {
    const house = await openTestHouse();
    const rawBody = JSON.stringify(bodyFor(house, 1)).replace('"amount":1', '"amount":1e400');
    const headers = { "content-type": "application/json" };
    const answer = await house.call("POST", "/v1/routines/book", { bearer: house.businessToken, rawBody, headers });
    expect(answer.status).toBe(400);
  });

  test.each([
    ["an unknown field", { amout: 1 }, "amout"],
    ["no name", { name: "" }, "name"],
    ["a name of 101 characters", { name: "n".repeat(101) }, "name"],
    ["a source that is no id", { source_id: "operating" }, "source_id"],
    ["no destination", { destination_id: undefined }, "destination_id"],
  ])("400: %s, by name", async (_, change, field) => {
    const house = await openTestHouse();
    const { status, json } = await book(house, { ...bodyFor(house), ...change });
    expect([status, json["reason"]]).toEqual([400, "validation_failed"]);
    expect(json["errors"]).toMatchObject([{ field }]);
  });

  test("400: source and destination are the same", async () => {
    const house = await openTestHouse();
    const same = { ...bodyFor(house), destination_id: house.operatingId.toUpperCase() };
    expect((await book(house, same)).json["errors"]).toMatchObject([{ field: "destination_id" }]);
  });

  test.each(["1", "", "{}", "not-a-uuid"])("400: an idempotency key of %j", async (key) => {
    const house = await openTestHouse();
    expect((await book(house, bodyFor(house), key)).json["reason"]).toBe("invalid_idempotency_key");
  });

  test("403: a personal user, before anything of the body is looked at", async () => {
    const house = await openTestHouse();
    const { status, json } = await book({ ...house, businessToken: house.sellerToken }, {});
    expect([status, json["reason"]]).toEqual([403, "business_user_required"]);
  });

  test("403: a business user who is suspended", async () => {
    const house = await openTestHouse();
    await database().update(users).set({ status: "suspended" }).where(eq(users.id, house.businessUserId));
    const { status, json } = await book(house, {});
    expect([status, json["reason"]]).toEqual([403, "user_not_approved"]);
  });

  test("404: a source that is not the business user's, a destination of another client", async () => {
    const [house, other] = [await openTestHouse(), await openTestHouse()];
    const foreign = { source_id: house.walletId, destination_id: house.operatingId };
    expect((await book(house, { ...bodyFor(house), ...foreign })).status).toBe(404);
    expect((await book(house, { ...bodyFor(house), destination_id: other.walletId })).status).toBe(404);
    expect((await book(house, { ...bodyFor(house), destination_id: newId() })).status).toBe(404);
  });

  test("422: an account that is closed, more than is available, a key used for something else", async () => {
    const house = await openTestHouse();
    const key = randomUUID();
    expect((await book(house, bodyFor(house, 25_000.01), key)).json["reason"]).toBe("insufficient_funds");
    expect((await book(house, bodyFor(house, 1), key)).status).toBe(201);
    expect((await book(house, bodyFor(house, 2), key)).json["reason"]).toBe("idempotency_key_reused");
    await closeAccount(database(), { id: house.walletId, clientId: house.clientId });
    const closed = await book(house, bodyFor(house, 1));
    expect([closed.status, closed.json["reason"]]).toEqual([422, "instrument_not_usable"]);
  });

  test("any refusal: no routine, no hold, no key", async () => {
    const house = await openTestHouse();
    const refused = [
      bodyFor(house, 25_000.01),
      bodyFor(house, 0),
      { ...bodyFor(house), source_id: newId() },
      { ...bodyFor(house), destination_id: newId() },
    ];
    for (const body of refused) expect((await book(house, body, randomUUID())).status).toBeGreaterThanOrEqual(400);
    expect(routineList.parse((await read(house, "/v1/routines")).json).routines).toEqual([]);
    expect((await read(house, `/v1/accounts/${house.operatingId}`)).json["available_balance"]).toBe(25_000);
    const keys = await database().$count(idempotencyKeys, eq(idempotencyKeys.clientId, house.clientId));
    expect(keys).toBe(0);
  });
});

describe("GET /v1/routines", () => {
  test("200: newest first, in parts that join without gap or repetition", async () => {
    const house = await openTestHouse();
    for (const amount of [1, 2, 3, 4, 5]) await book(house, bodyFor(house, amount));
    const amounts: number[] = [];
    let next: string | null = null;
    do {
      const after: string = next === null ? "" : `&starting_after=${next}`;
      const part = routineList.parse((await read(house, `/v1/routines?limit=2${after}`)).json);
      amounts.push(...part.routines.map(({ amount }) => amount));
      next = part.next;
    } while (next !== null);
    expect(amounts).toEqual([5, 4, 3, 2, 1]);
  });

  test("200: none of others", async () => {
    const house = await openTestHouse();
    await book(house, bodyFor(house));
    expect((await read(house, "/v1/routines", house.sellerToken)).json).toEqual({ routines: [], next: null });
  });

  test.each(["limit=0", "limit=101", "limit=two", "starting_after=x", "limit=1&limit=2", "order=asc"])(
    "400: %s",
    async (query) => {
      const house = await openTestHouse();
      expect((await read(house, `/v1/routines?${query}`)).json["reason"]).toBe("validation_failed");
    },
  );
});

describe("GET /v1/routines/{id}", () => {
  test("404: somebody else's, in the same words as one that does not exist", async () => {
    const house = await openTestHouse();
    const { json } = await book(house, bodyFor(house));
    const foreign = await read(house, `/v1/routines/${json["id"]}`, house.sellerToken);
    const missing = await read(house, `/v1/routines/${newId()}`, house.sellerToken);
    expect(foreign.status).toBe(404);
    expect({ ...foreign.json, request_id: "" }).toEqual({ ...missing.json, request_id: "" });
  });
});

describe("GET /v1/transfers and /v1/transfers/{transfer_id}", () => {
  test("200: readable by the routine's owner and by the owner of the destination", async () => {
    const house = await openTestHouse();
    const transferId = (await book(house, bodyFor(house))).json["transfer_id"];
    for (const bearer of [house.businessToken, house.sellerToken]) {
      expect((await read(house, `/v1/transfers/${transferId}`, bearer)).status).toBe(200);
      const { transfers } = transferList.parse((await read(house, "/v1/transfers", bearer)).json);
      expect(transfers.map(({ id }) => id)).toEqual([transferId]);
    }
  });

  test("404: for anybody else", async () => {
    const [house, other] = [await openTestHouse(), await openTestHouse()];
    const transferId = (await book(house, bodyFor(house))).json["transfer_id"];
    for (const bearer of [other.businessToken, other.sellerToken]) {
      expect((await read(house, `/v1/transfers/${transferId}`, bearer)).status).toBe(404);
      expect((await read(house, "/v1/transfers", bearer)).json).toEqual({ transfers: [], next: null });
    }
  });

  test("200: filtered by routine and by status, newest first, in parts", async () => {
    const house = await openTestHouse();
    const made = [];
    for (const amount of [1, 2.12, 3, 4.12]) made.push((await book(house, bodyFor(house, amount))).json);
    await advanceTestClock(house.client, 2);
    await settleDueTransfers();
    const list = async (query: string) => transferList.parse((await read(house, `/v1/transfers?${query}`)).json);
    expect((await list("status=pending")).transfers.map(({ amount }) => amount)).toEqual([4.12, 2.12]);
    expect((await list("status=processed")).transfers.map(({ amount }) => amount)).toEqual([3, 1]);
    expect((await list(`routine_id=${made[0]?.["id"]}`)).transfers.map(({ amount }) => amount)).toEqual([1]);
    const first = await list("status=pending&limit=1");
    expect(first.next).toBe(first.transfers[0]?.id);
    const second = await list(`status=pending&limit=1&starting_after=${first.next}`);
    expect([second.transfers[0]?.amount, second.next]).toEqual([2.12, null]);
    expect((await read(house, "/v1/transfers?status=done")).status).toBe(400);
  });

  test("200: processed, completed and paid once settled", async () => {
    const house = await openTestHouse();
    const { json } = await book(house, bodyFor(house, 100));
    await advanceTestClock(house.client, 2);
    await settleDueTransfers();
    expect((await read(house, `/v1/transfers/${json["transfer_id"]}`)).json["status"]).toBe("processed");
    expect((await read(house, `/v1/routines/${json["id"]}`)).json).toMatchObject({
      status: "completed",
      active: false,
    });
    const wallet = await read(house, `/v1/accounts/${house.walletId}`, house.sellerToken);
    expect(wallet.json).toMatchObject({ current_balance: 100, available_balance: 100 });
  });
});

async function setStatus(house: House, status: "suspended"): Promise<undefined> {
  await database().update(users).set({ status }).where(eq(users.id, house.businessUserId));
}

async function setProfile(house: House): Promise<undefined> {
  await database().update(users).set({ businessProfileId: randomUUID() }).where(eq(users.id, house.businessUserId));
}

async function lowerAmountMax(): Promise<() => void> {
  const config = serviceConfig();
  const { amountCentsMax } = config;
  config.amountCentsMax = 1;
  return () => {
    config.amountCentsMax = amountCentsMax;
  };
}
