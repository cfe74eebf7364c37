import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { basicCredentials } from "../../../kit/basic-credentials.ts";
import { newPhone } from "../../../kit/testing/phones.ts";
import { database } from "../../storage/database.ts";
import { accounts, routines, userIntents } from "../../storage/schema.ts";
import { testRedirectUri } from "../../testing/clients.ts";
import type { Fate } from "../../testing/database-proxy.ts";
import { type ApiBehindProxy, startApiBehindProxy } from "../../testing/killable-api.ts";
import { findLedgerProblems } from "../../testing/ledger-problems.ts";
import { personDetails } from "../../testing/people.ts";
import { type ClientWithSeller, createClientWithSeller } from "../../testing/routines.ts";
import { insertTestCode, testVerifier } from "../../testing/tokens.ts";

let api: ApiBehindProxy;
let client: ClientWithSeller;

beforeAll(async () => {
  api = await startApiBehindProxy();
});
beforeEach(async () => {
  client = await createClientWithSeller();
  api.proxy.judge(() => "pass");
  api.proxy.takeConnections(true);
});
afterAll(() => api.stop());

/** Loses the answer to the next COMMIT of a transaction with a statement that contains these words. */
function loseCommitResponse(words: string): void {
  cutCommit(words, "cut after");
}

/** Loses that COMMIT itself. */
function loseCommit(words: string): void {
  cutCommit(words, "cut before");
}

function cutCommit(words: string, fate: Fate): void {
  let sender: object | undefined;
  loseAnswer(
    (text, connection) => {
      // Other transactions commit too, such as those of a sandbox's events.
      if (text.includes(words)) sender = connection;
      return sender === connection && text.includes("commit");
    },
    () => {},
    fate,
  );
}

/** Loses the answer to a single statement with these words. */
function loseAnswerOf(statement: string, then?: () => void): void {
  loseAnswer((text) => text.includes(statement), then);
}

function loseAnswer(
  isOf: (text: string, connection: object) => boolean,
  then: () => void = () => {},
  fate: Fate = "cut after",
): void {
  api.proxy.judge((message, connection) => {
    if (!isOf(message.toString("latin1"), connection)) return "pass";
    api.proxy.judge(() => "pass");
    then();
    return fate;
  });
}

/** Breaks the connection of the next message with these words and delays the message. */
function delay(words: string, then: () => void = () => {}): void {
  loseAnswer((text) => text.includes(words), then, "cut and delay");
}

function loseDatabase(): void {
  api.proxy.takeConnections(false);
  // Cut all pooled connections, so that none can find out the outcome.
  api.proxy.judge(() => "cut before");
}

function findDatabase(): void {
  api.proxy.judge(() => "pass");
  api.proxy.takeConnections(true);
}

const booking = "book_in_one_statement";
const refresh = "refresh_in_one_statement";

async function send(path: string, { bearer, key, body }: { bearer?: string; key?: string | undefined; body: unknown }) {
  const { clientId, clientSecret } = client;
  const response = await fetch(`${api.url}${path}`, {
    method: "POST",
    headers: {
      authorization: bearer === undefined ? basicCredentials(clientId, clientSecret) : `Bearer ${bearer}`,
      "content-type": "application/json",
      ...(key !== undefined && { "idempotency-key": key }),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

function book({ key }: { key?: string | undefined } = { key: randomUUID() }) {
  const body = { name: "Payout", amount: 12.5, source_id: client.operatingId, destination_id: client.walletId };
  return send("/v1/routines/book", { bearer: client.businessToken, key, body });
}

const countRoutines = () => database().$count(routines, eq(routines.clientId, client.clientId));

describe("after the database's answer to COMMIT is lost", () => {
  test("201: a booking still returns its routine, ten times out of ten", async () => {
    for (let round = 1; round <= 10; round++) {
      loseAnswerOf(booking);
      expect((await book()).status).toBe(201);
      expect(await countRoutines()).toBe(round);
    }
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("200: a refresh still returns its token pair, and the access token works", async () => {
    const grant = { grant_type: "refresh_token", refresh_token: await refreshTokenOf() };
    loseAnswerOf(refresh);
    const { status, json } = await send("/v1/oauth/token", { body: grant });
    expect(status).toBe(200);
    const bearer = String(json["access_token"]);
    expect((await client.call("GET", "/v1/user", { bearer })).status).toBe(200);
  });

  test("200: a refresh that arrives after its retry supersedes nothing", async () => {
    const grant = { grant_type: "refresh_token", refresh_token: await refreshTokenOf() };
    delay(refresh);
    const { status, json } = await send("/v1/oauth/token", { body: grant });
    expect(status).toBe(200);
    await api.proxy.deliverDelayed();
    const bearer = String(json["access_token"]);
    expect((await client.call("GET", "/v1/user", { bearer })).status).toBe(200);
  });

  test("200: a code exchange still returns its token pair", async () => {
    const code = await insertTestCode(client, client.businessUserId);
    const proof = { code, redirect_uri: testRedirectUri, code_verifier: testVerifier };
    loseCommitResponse("insert into refresh_tokens");
    const { status } = await send("/v1/oauth/token", { body: { grant_type: "authorization_code", ...proof } });
    expect(status).toBe(200);
  });

  test("201: a creation still returns its user intent", async () => {
    loseCommitResponse('insert into "user_intents"');
    expect((await send("/v1/user_intent", { body: personDetails({ phone: newPhone() }) })).status).toBe(201);
  });

  async function refreshTokenOf(): Promise<string> {
    const code = await insertTestCode(client, client.businessUserId);
    const proof = { code, redirect_uri: testRedirectUri, code_verifier: testVerifier };
    const { json } = await send("/v1/oauth/token", { body: { grant_type: "authorization_code", ...proof } });
    return String(json["refresh_token"]);
  }
});

describe("after a COMMIT that never arrived", () => {
  test("503: a creation made no user intent, and its key is free", async () => {
    const intent = { key: randomUUID(), body: personDetails({ phone: newPhone() }) };
    const countIntents = () => database().$count(userIntents, eq(userIntents.clientId, client.clientId));
    const before = await countIntents();
    loseCommit('insert into "user_intents"');
    expect((await send("/v1/user_intent", intent)).status).toBe(503);
    expect(await countIntents()).toBe(before);
    expect((await send("/v1/user_intent", intent)).status).toBe(201);
    expect(await countIntents()).toBe(before + 1);
  });

  test("503: a code exchange didn't spend the code, and its repeat gets a token pair that works", async () => {
    const code = await insertTestCode(client, client.businessUserId);
    const proof = { code, redirect_uri: testRedirectUri, code_verifier: testVerifier };
    const exchange = () => send("/v1/oauth/token", { body: { grant_type: "authorization_code", ...proof } });
    loseCommit("insert into refresh_tokens");
    expect((await exchange()).status).toBe(503);
    const { status, json } = await exchange();
    expect(status).toBe(200);
    expect((await client.call("GET", "/v1/user", { bearer: String(json["access_token"]) })).status).toBe(200);
  });
});

describe("an unknown outcome", () => {
  test("gets no response, and a repeat with the same key gets the outcome", async () => {
    const key = randomUUID();
    await Promise.all([1, 2, 3].map(() => send("/v1/user_intent", { body: personDetails({ phone: newPhone() }) })));
    loseAnswerOf(booking, loseDatabase);
    await expect(book({ key })).rejects.toThrow("fetch failed");
    expect(await countRoutines()).toBe(1);
    findDatabase();
    const repeated = await book({ key });
    expect(repeated.status).toBe(201);
    expect(await countRoutines()).toBe(1);
  });
});

describe("a booking whose connection is cut before its statement arrives", () => {
  test.each([
    ["with a key", randomUUID()],
    ["without a key", undefined],
  ])("201 %s: the retry books it, and the late statement changes nothing", async (_, key) => {
    delay(booking);
    expect((await book({ key })).status).toBe(201);
    await api.proxy.deliverDelayed();
    expect(await countRoutines()).toBe(1);
    expect(await findLedgerProblems()).toEqual([]);
  });

  test("422 when it is refused by then: its key is voided, so the late statement creates nothing", async () => {
    const key = randomUUID();
    const answer = await bookWhileClosed(() => book({ key }));
    expect(answer.status).toBe(422);
    expect(answer.json["reason"]).toBe("idempotency_key_voided");
    await api.proxy.deliverDelayed();
    expect(await countRoutines()).toBe(0);
    expect((await book({ key })).json["reason"]).toBe("idempotency_key_voided");
  });

  test("no response when it is refused by then and has no key, because the late statement may create it", async () => {
    await expect(bookWhileClosed(() => book({ key: undefined }))).rejects.toThrow("fetch failed");
    await api.proxy.deliverDelayed();
    expect(await countRoutines()).toBe(1);
  });

  /** Books while the wallet is closed for every statement but the late one. */
  async function bookWhileClosed<T>(send: () => Promise<T>): Promise<T> {
    const cut = Promise.withResolvers<void>();
    delay(booking, () => {
      loseDatabase();
      cut.resolve();
    });
    const answered = send().finally(() => setWalletStatus("open"));
    await cut.promise;
    await setWalletStatus("closed");
    findDatabase();
    return answered;
  }

  async function setWalletStatus(status: "open" | "closed"): Promise<void> {
    await database().update(accounts).set({ status }).where(eq(accounts.id, client.walletId));
  }
});
