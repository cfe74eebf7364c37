import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import {
  accountList,
  routineList,
  routineRecord,
  transferList,
  transferRecord,
  voidedBooking,
} from "../../../contract/money.ts";
import { newId } from "../../../kit/ids.ts";
import { newPhone } from "../../../kit/testing/phones.ts";
import { serviceConfig } from "../../config.ts";
import { settleDueTransfers } from "../../operations/money/settle-transfers.ts";
import { fundAccount, listFundingAccounts, newMask } from "../../storage/accounts.ts";
import { database } from "../../storage/database.ts";
import { clients, idempotencyKeys, users } from "../../storage/schema.ts";
import { advanceClock } from "../../testing/clients.ts";
import { holdRows } from "../../testing/hold-rows.ts";
import { personDetails } from "../../testing/people.ts";
import {
  type ClientWithSeller,
  closeAccount,
  createClientWithSeller,
  fundTestBusiness,
} from "../../testing/routines.ts";
import { issueTestTokens } from "../../testing/tokens.ts";

function bodyFor({ operatingId, walletId }: ClientWithSeller, amount: unknown = 12.34) {
  return { name: "Payout", amount, source_id: operatingId, destination_id: walletId };
}

function book(client: ClientWithSeller, body: unknown, key?: string) {
  const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  return client.call("POST", "/v1/routines/book", { bearer: client.businessToken, body, headers });
}

function voidKey(client: ClientWithSeller, key: string | undefined) {
  const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  return client.call("POST", "/v1/routines/book/void", { bearer: client.businessToken, headers });
}

function read(client: ClientWithSeller, path: string, bearer = client.businessToken) {
  return client.call("GET", path, { bearer });
}

describe("GET /v1/accounts", () => {
  test("200: the user's payment instruments with current and available balance", async () => {
    const client = await createClientWithSeller();
    await book(client, bodyFor(client));
    const { status, json } = await read(client, "/v1/accounts");
    expect(status).toBe(200);
    const { count, accounts } = accountList.parse(json);
    expect(count).toBe(1);
    expect(accounts[0]).toMatchObject({
      id: client.operatingId,
      type: "operating",
      currency: "USD",
      current_balance: 25_000,
      available_balance: 24_987.66,
      status: "open",
    });
  });

  test("200: oldest first", async () => {
    const client = await createClientWithSeller();
    const { accountIds, tokens } = await fundTestBusiness(client, [0, 0]);
    const { accounts } = accountList.parse((await read(client, "/v1/accounts", tokens.accessToken)).json);
    expect(accounts.map(({ id }) => id)).toEqual([client.operatingId, ...accountIds]);
  });

  test("an account's mask has four digits, zeros included", () => {
    const masks = Array.from({ length: 500 }, newMask);
    expect(masks.filter((mask) => !/^\d{4}$/.test(mask))).toEqual([]);
    expect(new Set(masks).size).toBeGreaterThan(100);
  });

  test("401: without a token, with an unknown one, with one in the query", async () => {
    const client = await createClientWithSeller();
    const none = await client.call("GET", "/v1/accounts", { authorization: null });
    expect([none.status, none.json["reason"]]).toEqual([401, "missing_token"]);
    const unknown = await read(client, "/v1/accounts", "gwa_unknown");
    expect([unknown.status, unknown.json["reason"]]).toEqual([401, "invalid_token"]);
    const query = await client.call("GET", `/v1/accounts?access_token=${client.businessToken}`, {
      authorization: null,
    });
    expect(query.status).toBe(401);
  });

  test("401: expired and superseded are distinguished", async () => {
    const client = await createClientWithSeller();
    await issueTestTokens(client, client.businessUserId);
    expect((await read(client, "/v1/accounts")).json["reason"]).toBe("token_superseded");
    await advanceClock(client, 7200);
    const expired = await read(client, "/v1/accounts");
    expect(expired.json["reason"]).toBe("token_expired");
    expect(expired.headers.get("www-authenticate")).toContain('error="invalid_token"');
  });
});

describe("GET /v1/accounts/{id}", () => {
  test("200: the user's own account; 404: another user's, unknown, and malformed ids get the same response", async () => {
    const client = await createClientWithSeller();
    expect((await read(client, `/v1/accounts/${client.operatingId}`)).json).toMatchObject({
      id: client.operatingId,
    });
    const answers = [client.walletId, newId(), "x"].map((id) => read(client, `/v1/accounts/${id}`));
    const bodies = (await Promise.all(answers)).map(({ status, json }) => ({ ...json, status, request_id: "" }));
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(bodies[0]).toMatchObject({ status: 404, reason: "not_found" });
  });
});

describe("POST /v1/routines/book", () => {
  test("201: the routine, active, with its transfer pending", async () => {
    const client = await createClientWithSeller();
    const { status, json, headers } = await book(client, bodyFor(client));
    expect(status).toBe(201);
    expect(headers.get("idempotent-replayed")).toBeNull();
    const routine = routineRecord.parse(json);
    expect(routine).toMatchObject({ ...bodyFor(client), type: "one-time", status: "active", active: true });
    const transfer = await read(client, `/v1/transfers/${routine.transfer_id}`);
    expect(transferRecord.parse(transfer.json)).toMatchObject({
      routine_id: routine.id,
      routine_name: "Payout",
      amount: 12.34,
      status: "pending",
      failure_reason: null,
    });
    expect((await read(client, `/v1/routines/${routine.id}`)).json).toEqual(json);
  });

  test("201: a repeated key, quoted or in capitals, returns the first response byte for byte", async () => {
    const client = await createClientWithSeller();
    const key = randomUUID();
    const first = await book(client, bodyFor(client), key);
    for (const same of [key, `"${key}"`, key.toUpperCase()]) {
      const repeated = await book(client, { ...bodyFor(client), source_id: client.operatingId.toUpperCase() }, same);
      expect([repeated.status, repeated.text]).toEqual([201, first.text]);
      expect(repeated.headers.get("idempotent-replayed")).toBe("true");
    }
    expect(routineList.parse((await read(client, "/v1/routines")).json).routines).toHaveLength(1);
  });

  test.each([
    ["the business was suspended", (client: ClientWithSeller) => setStatus(client, "suspended")],
    ["the business lost its profile", (client: ClientWithSeller) => setProfile(client)],
    ["the amount limit was lowered", (_client: ClientWithSeller) => lowerAmountMax()],
  ])(
    "201: a repeated key returns the first response although %s since, while a new key is refused",
    async (_, change) => {
      const client = await createClientWithSeller();
      const key = randomUUID();
      const first = await book(client, bodyFor(client), key);
      expect(first.status).toBe(201);
      const restore = await change(client);
      const repeated = await book(client, bodyFor(client), key);
      expect([repeated.status, repeated.text, repeated.headers.get("idempotent-replayed")]).toEqual([
        201,
        first.text,
        "true",
      ]);
      expect((await book(client, bodyFor(client), randomUUID())).status).toBeGreaterThanOrEqual(400);
      expect((await book(client, bodyFor(client, 0.5), key)).json["reason"]).toBe("idempotency_key_reused");
      restore?.();
    },
  );

  test("201: a repeated key returns the routine as created, even after its completion", async () => {
    const client = await createClientWithSeller();
    const key = randomUUID();
    const first = await book(client, bodyFor(client), key);
    const path = `/sandbox/transfers/${first.json["transfer_id"]}/status`;
    expect((await client.call("POST", path, { body: { status: "processed" } })).status).toBe(200);
    expect((await book(client, bodyFor(client), key)).text).toBe(first.text);
  });

  test("503: only for a source account that another transaction holds for longer than a request waits", async () => {
    const [client, otherClient] = [await createClientWithSeller(), await createClientWithSeller()];
    const held = await holdRows("select from accounts where id = $1 for no key update", [client.operatingId]);
    const [stuck, free] = await Promise.all([book(client, bodyFor(client)), book(otherClient, bodyFor(otherClient))]);
    expect(free.status).toBe(201);
    expect([stuck.status, stuck.json["reason"], stuck.headers.get("retry-after")]).toEqual([503, "unavailable", "1"]);
    await held.release();
    expect((await book(client, bodyFor(client))).status).toBe(201);
    expect(routineList.parse((await read(client, "/v1/routines")).json).routines).toHaveLength(1);
  });

  test("201: concurrent requests with one key in lower case, in capitals and in quotes create one routine", async () => {
    const fixture = await createClientWithSeller();
    const key = randomUUID();
    const spellings = [key, key.toUpperCase(), `"${key}"`];
    const answers = await Promise.all(spellings.map((same) => book(fixture, bodyFor(fixture), same)));
    for (const { status, text } of answers) expect([status, text]).toEqual([201, answers[0]?.text]);
    expect(routineList.parse((await read(fixture, "/v1/routines")).json).routines).toHaveLength(1);
  });

  test("201: clients can use the same key independently", async () => {
    const [firstClient, secondClient] = [await createClientWithSeller(), await createClientWithSeller()];
    const key = randomUUID();
    expect((await book(firstClient, bodyFor(firstClient), key)).status).toBe(201);
    const answer = await book(secondClient, bodyFor(secondClient), key);
    expect([answer.status, answer.headers.get("idempotent-replayed")]).toEqual([201, null]);
  });

  test.each([1.005, 12.345, -1, 0, "1.00", true, null, 1_000_000.01, 1e15])("400: an amount of %j", async (amount) => {
    const client = await createClientWithSeller();
    const { status, json } = await book(client, bodyFor(client, amount));
    expect([status, json["reason"]]).toEqual([400, "validation_failed"]);
    expect(json["errors"]).toMatchObject([{ field: "amount" }]);
  });

  test("400: an amount of 1e400, which overflows to Infinity", async () => {
    const client = await createClientWithSeller();
    const rawBody = JSON.stringify(bodyFor(client, 1)).replace('"amount":1', '"amount":1e400');
    const headers = { "content-type": "application/json" };
    const answer = await client.call("POST", "/v1/routines/book", { bearer: client.businessToken, rawBody, headers });
    expect(answer.status).toBe(400);
  });

  test.each([
    ["an unknown field", { amout: 1 }, "amout"],
    ["no name", { name: "" }, "name"],
    ["a name of 101 characters", { name: "n".repeat(101) }, "name"],
    ["a source that isn't an id", { source_id: "operating" }, "source_id"],
    ["a destination that isn't an id", { destination_id: "wallet" }, "destination_id"],
  ])("400: %s, by name", async (_, change, field) => {
    const client = await createClientWithSeller();
    const { status, json } = await book(client, { ...bodyFor(client), ...change });
    expect([status, json["reason"]]).toEqual([400, "validation_failed"]);
    expect(json["errors"]).toMatchObject([{ field }]);
  });

  test.each(["name", "amount", "source_id", "destination_id"])("400: %s is required", async (field) => {
    const client = await createClientWithSeller();
    const { status, json } = await book(client, { ...bodyFor(client), [field]: undefined });
    expect(status).toBe(400);
    expect(json["errors"]).toEqual([{ field, message: "This field is required." }]);
  });

  test("400: source and destination are the same", async () => {
    const client = await createClientWithSeller();
    const same = { ...bodyFor(client), destination_id: client.operatingId.toUpperCase() };
    expect((await book(client, same)).json["errors"]).toMatchObject([{ field: "destination_id" }]);
  });

  test.each(["1", "", "{}", "not-a-uuid"])("400: an idempotency key of %j", async (key) => {
    const client = await createClientWithSeller();
    expect((await book(client, bodyFor(client), key)).json["reason"]).toBe("invalid_idempotency_key");
  });

  test("403: a personal user, before the body is validated", async () => {
    const client = await createClientWithSeller();
    const { status, json } = await book({ ...client, businessToken: client.sellerToken }, {});
    expect([status, json["reason"]]).toEqual([403, "business_user_required"]);
  });

  test("403: a business user of another business profile than the client's", async () => {
    const client = await createClientWithSeller();
    await database().update(clients).set({ businessProfileId: newId() }).where(eq(clients.id, client.clientId));
    const { status, json } = await book(client, bodyFor(client));
    expect([status, json["reason"]]).toEqual([403, "business_user_required"]);
  });

  test("403: a suspended business user", async () => {
    const client = await createClientWithSeller();
    await database().update(users).set({ status: "suspended" }).where(eq(users.id, client.businessUserId));
    const { status, json } = await book(client, {});
    expect([status, json["reason"]]).toEqual([403, "user_not_approved"]);
  });

  test("404: a source that is not the business user's, or a destination that is another client's or a treasury", async () => {
    const [client, otherClient] = [await createClientWithSeller(), await createClientWithSeller()];
    await fundAccount(database(), { accountId: client.walletId, amountCents: 5_000 });
    const foreign = { source_id: client.walletId, destination_id: client.operatingId };
    expect((await book(client, { ...bodyFor(client), ...foreign })).status).toBe(404);
    const [treasury] = await listFundingAccounts(database(), client.clientId);
    expect((await book(client, { ...bodyFor(client), destination_id: treasury?.id })).status).toBe(404);
    expect((await book(client, { ...bodyFor(client), destination_id: otherClient.walletId })).status).toBe(404);
    expect((await book(client, { ...bodyFor(client), destination_id: newId() })).status).toBe(404);
  });

  test("422: a closed account, insufficient funds, or a key of another request", async () => {
    const client = await createClientWithSeller();
    const key = randomUUID();
    expect((await book(client, bodyFor(client, 25_000.01), key)).json["reason"]).toBe("insufficient_funds");
    expect((await book(client, bodyFor(client, 1), key)).status).toBe(201);
    expect((await book(client, bodyFor(client, 2), key)).json["reason"]).toBe("idempotency_key_reused");
    await closeAccount(database(), { id: client.walletId, clientId: client.clientId });
    const closed = await book(client, bodyFor(client, 1));
    expect([closed.status, closed.json["reason"]]).toEqual([422, "instrument_not_usable"]);
  });

  test("a refusal creates no routine, hold or key", async () => {
    const [client, otherClient] = [await createClientWithSeller(), await createClientWithSeller()];
    const refused: [unknown, number][] = [
      [bodyFor(client, 25_000.01), 422],
      [bodyFor(client, 0), 400],
      [{ ...bodyFor(client), source_id: newId() }, 404],
      [{ ...bodyFor(client), destination_id: newId() }, 404],
      // The database itself would accept these.
      [{ ...bodyFor(client), destination_id: otherClient.walletId }, 404],
    ];
    for (const [body, status] of refused) expect((await book(client, body, randomUUID())).status).toBe(status);
    expect(routineList.parse((await read(client, "/v1/routines")).json).routines).toEqual([]);
    expect((await read(client, `/v1/accounts/${client.operatingId}`)).json["available_balance"]).toBe(25_000);
    const keys = await database().$count(idempotencyKeys, eq(idempotencyKeys.clientId, client.clientId));
    expect(keys).toBe(0);
  });
});

describe("POST /v1/routines/book/void", () => {
  test("200: an unused key is voided repeatedly, and bookings with it are refused regardless of permission", async () => {
    const client = await createClientWithSeller();
    const key = randomUUID();
    for (const same of [key, `"${key.toUpperCase()}"`]) {
      const { status, json } = await voidKey(client, same);
      expect([status, json]).toEqual([200, { voided: true, routine: null }]);
      expect(voidedBooking.safeParse(json).success).toBe(true);
    }
    const refused = { status: 422, json: { reason: "idempotency_key_voided" } };
    expect(await book(client, bodyFor(client), key)).toMatchObject(refused);
    expect(await book(client, bodyFor(client, "much"), key)).toMatchObject(refused);
    await setStatus(client, "suspended");
    expect(await book(client, bodyFor(client), key)).toMatchObject(refused);
    expect(routineList.parse((await read(client, "/v1/routines")).json).routines).toEqual([]);
  });

  test("200: a key with a routine is not voided, and returns the routine as created", async () => {
    const client = await createClientWithSeller();
    const key = randomUUID();
    const first = await book(client, bodyFor(client), key);
    await advanceClock(client, 3600);
    await settleDueTransfers();
    const { status, json } = await voidKey(client, key);
    expect([status, json]).toEqual([200, { voided: false, routine: first.json }]);
    expect(voidedBooking.safeParse(json).success).toBe(true);
    const repeated = await book(client, bodyFor(client), key);
    expect([repeated.status, repeated.text]).toEqual([201, first.text]);
  });

  test("200: the key of another user or operation is a different key", async () => {
    const client = await createClientWithSeller();
    const key = randomUUID();
    const headers = { "idempotency-key": key };
    const ofSeller = await client.call("POST", "/v1/routines/book/void", { bearer: client.sellerToken, headers });
    expect(ofSeller.json).toEqual({ voided: true, routine: null });
    expect((await book(client, bodyFor(client), key)).status).toBe(201);
    const otherId = randomUUID();
    await voidKey(client, otherId);
    const body = personDetails({ phone: newPhone() });
    const intent = await client.call("POST", "/v1/user_intent", { body, headers: { "idempotency-key": otherId } });
    expect(intent.status).toBe(201);
  });

  test("200: a suspended business can still void a key, to resolve a lost response", async () => {
    const client = await createClientWithSeller();
    await setStatus(client, "suspended");
    expect((await voidKey(client, randomUUID())).json).toEqual({ voided: true, routine: null });
  });

  test.each([undefined, "", "not-a-uuid"])("400: an idempotency key of %j", async (key) => {
    const client = await createClientWithSeller();
    const { status, json } = await voidKey(client, key);
    expect([status, json["reason"]]).toEqual([400, "invalid_idempotency_key"]);
  });

  test("401: without a token", async () => {
    const client = await createClientWithSeller();
    const headers = { "idempotency-key": randomUUID() };
    const { status, json } = await client.call("POST", "/v1/routines/book/void", { authorization: null, headers });
    expect([status, json["reason"]]).toEqual([401, "missing_token"]);
  });
});

describe("GET /v1/routines", () => {
  test("200: newest first, in pages without gaps or duplicates", async () => {
    const client = await createClientWithSeller();
    for (const amount of [1, 2, 3, 4, 5]) await book(client, bodyFor(client, amount));
    const amounts: number[] = [];
    let next: string | null = null;
    do {
      const after: string = next === null ? "" : `&starting_after=${next}`;
      const part = routineList.parse((await read(client, `/v1/routines?limit=2${after}`)).json);
      amounts.push(...part.routines.map(({ amount }) => amount));
      next = part.next;
    } while (next !== null);
    expect(amounts).toEqual([5, 4, 3, 2, 1]);
  });

  test("200: no routines of other users", async () => {
    const client = await createClientWithSeller();
    await book(client, bodyFor(client));
    expect((await read(client, "/v1/routines", client.sellerToken)).json).toEqual({ routines: [], next: null });
  });

  test.each(["limit=0", "limit=101", "limit=two", "starting_after=x", "limit=1&limit=2", "order=asc"])(
    "400: %s",
    async (query) => {
      const client = await createClientWithSeller();
      expect((await read(client, `/v1/routines?${query}`)).json["reason"]).toBe("validation_failed");
    },
  );
});

describe("GET /v1/routines/{id}", () => {
  test("404: another user's routine gets the same response as an unknown one", async () => {
    const client = await createClientWithSeller();
    const { json } = await book(client, bodyFor(client));
    const foreign = await read(client, `/v1/routines/${json["id"]}`, client.sellerToken);
    const missing = await read(client, `/v1/routines/${newId()}`, client.sellerToken);
    expect(foreign.status).toBe(404);
    expect({ ...foreign.json, request_id: "" }).toEqual({ ...missing.json, request_id: "" });
  });
});

describe("GET /v1/transfers and /v1/transfers/{transfer_id}", () => {
  test("200: readable by the routine's owner and by the owner of the destination, even once it's closed", async () => {
    const client = await createClientWithSeller();
    const transferId = (await book(client, bodyFor(client))).json["transfer_id"];
    for (const bearer of [client.businessToken, client.sellerToken]) {
      expect((await read(client, `/v1/transfers/${transferId}`, bearer)).status).toBe(200);
      const { transfers } = transferList.parse((await read(client, "/v1/transfers", bearer)).json);
      expect(transfers.map(({ id }) => id)).toEqual([transferId]);
    }
    await closeAccount(database(), { id: client.walletId, clientId: client.clientId });
    const { transfers } = transferList.parse((await read(client, "/v1/transfers", client.sellerToken)).json);
    expect(transfers.map(({ id }) => id)).toEqual([transferId]);
  });

  test("404: for all other users", async () => {
    const [client, otherClient] = [await createClientWithSeller(), await createClientWithSeller()];
    const { transfer_id: transferId, id: routineId } = (await book(client, bodyFor(client))).json;
    for (const bearer of [otherClient.businessToken, otherClient.sellerToken]) {
      expect((await read(client, `/v1/transfers/${transferId}`, bearer)).status).toBe(404);
      for (const query of ["", `?routine_id=${routineId}`]) {
        expect((await read(client, `/v1/transfers${query}`, bearer)).json).toEqual({ transfers: [], next: null });
      }
    }
  });

  test("200: filtered by routine and by status, newest first, in pages", async () => {
    const client = await createClientWithSeller();
    const made = [];
    for (const amount of [1, 2.12, 3, 4.12]) made.push((await book(client, bodyFor(client, amount))).json);
    await advanceClock(client, 2);
    await settleDueTransfers();
    const list = async (query: string) => transferList.parse((await read(client, `/v1/transfers?${query}`)).json);
    expect((await list("status=pending")).transfers.map(({ amount }) => amount)).toEqual([4.12, 2.12]);
    expect((await list("status=processed")).transfers.map(({ amount }) => amount)).toEqual([3, 1]);
    expect((await list(`routine_id=${made[0]?.["id"]}`)).transfers.map(({ amount }) => amount)).toEqual([1]);
    expect((await list(`routine_id=${made[0]?.["id"]}&status=pending`)).transfers).toEqual([]);
    const after = `starting_after=${made[0]?.["transfer_id"]}`;
    expect((await list(`routine_id=${made[0]?.["id"]}&${after}`)).transfers).toEqual([]);
    const first = await list("status=pending&limit=1");
    expect(first.next).toBe(first.transfers[0]?.id);
    const second = await list(`status=pending&limit=1&starting_after=${first.next}`);
    expect([second.transfers[0]?.amount, second.next]).toEqual([2.12, null]);
    expect((await read(client, "/v1/transfers?status=done")).status).toBe(400);
  });

  test("200: processed, completed and paid once settled, at that time by the client's clock", async () => {
    const client = await createClientWithSeller();
    const { json } = await book(client, bodyFor(client, 100));
    await advanceClock(client, 3600);
    await settleDueTransfers();
    const transfer = transferRecord.parse((await read(client, `/v1/transfers/${json["transfer_id"]}`)).json);
    expect(transfer.status).toBe("processed");
    const tookMs = Date.parse(transfer.updated_at) - Date.parse(transfer.created_at);
    expect(tookMs).toBeGreaterThanOrEqual(3_600_000);
    expect(tookMs).toBeLessThan(3_600_000 + 600_000);
    expect((await read(client, `/v1/routines/${json["id"]}`)).json).toMatchObject({
      status: "completed",
      active: false,
    });
    const wallet = await read(client, `/v1/accounts/${client.walletId}`, client.sellerToken);
    expect(wallet.json).toMatchObject({ current_balance: 100, available_balance: 100 });
  });
});

async function setStatus(client: ClientWithSeller, status: "suspended"): Promise<undefined> {
  await database().update(users).set({ status }).where(eq(users.id, client.businessUserId));
}

async function setProfile(client: ClientWithSeller): Promise<undefined> {
  await database().update(users).set({ businessProfileId: randomUUID() }).where(eq(users.id, client.businessUserId));
}

async function lowerAmountMax(): Promise<() => void> {
  const config = serviceConfig();
  const { amountCentsMax } = config;
  config.amountCentsMax = 1;
  return () => {
    config.amountCentsMax = amountCentsMax;
  };
}
