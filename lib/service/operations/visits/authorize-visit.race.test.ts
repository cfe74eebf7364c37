import { and, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { newId } from "../../../kit/ids.ts";
import { revokeAuthorization } from "../../storage/authorizations.ts";
import { updateClient } from "../../storage/clients.ts";
import { database } from "../../storage/database.ts";
import { authorizationCodes, users } from "../../storage/schema.ts";
import { advanceClock, type ClientKey, createTestClient, type TestClient } from "../../testing/clients.ts";
import { holdRows } from "../../testing/hold-rows.ts";
import { insertTestIntent, insertTestUser } from "../../testing/people.ts";
import { openTestVisit, readTestCodes } from "../../testing/visits.ts";
import { authenticateAccessToken } from "../tokens/authenticate.ts";
import { exchangeAuthorizationCode } from "../tokens/grant-tokens.ts";
import { type AuthorizeOutcome, authorizeVisit, cancelVisit } from "./finish-visit.ts";
import { findVisitRedirectOrigin, readVisit } from "./read-visit.ts";
import { correctIdentity } from "./submit-identity.ts";
import { resendVerificationCode, verifyCode } from "./verify-code.ts";

function listCodes(clientId: string) {
  return database().select().from(authorizationCodes).where(eq(authorizationCodes.clientId, clientId));
}

function codeOf(outcome: AuthorizeOutcome): string {
  if (outcome.kind !== "authorized") throw new Error(outcome.kind);
  return new URL(outcome.returnTo).searchParams.get("code") ?? "";
}

function exchange({ clientId, redirectUri }: ClientKey & Pick<TestClient, "redirectUri">, code: string, proof = {}) {
  return exchangeAuthorizationCode({ code, redirectUri, codeVerifier: undefined, ...proof }, { clientId });
}

test("Authorize redirects to the registered address with code, state and iss", async () => {
  const client = await createTestClient();
  const key = await openTestVisit(client, await insertTestIntent(client));
  const outcome = await authorizeVisit(key);
  if (outcome.kind !== "authorized") throw new Error(outcome.kind);
  expect(outcome.returnTo.startsWith(`${client.redirectUri}&code=gwc_`)).toBe(true);
  const answer = new URL(outcome.returnTo).searchParams;
  expect([answer.get("state"), answer.get("iss")]).toEqual(["a state & more", "http://127.0.0.1:4000"]);
  expect(await listCodes(client.clientId)).toMatchObject([
    { redirectUri: client.redirectUri, traceId: `${"0".repeat(31)}2` },
  ]);
});

// One visit has one authorization and one valid code, however often and fast Authorize is pressed.
test("twenty concurrent presses of Authorize all redirect, and exactly one of their codes works, once", async () => {
  const client = await createTestClient();
  const key = await openTestVisit(client, await insertTestUser(client));
  const codes = (await Promise.all(Array.from({ length: 20 }, () => authorizeVisit(key)))).map(codeOf);
  expect(new Set(codes).size).toBe(20);
  expect(await listCodes(client.clientId)).toHaveLength(1);
  const grants = await Promise.all(codes.map((code) => exchange(client, code)));
  expect(grants.filter(({ kind }) => kind === "granted")).toHaveLength(1);
  for (const grant of grants) if (grant.kind !== "granted") expect(grant).toMatchObject({ cause: "code_unknown" });
});

describe("Authorize pressed again", () => {
  async function authorizeOnce() {
    const client = await createTestClient();
    const key = await openTestVisit(client, await insertTestUser(client));
    return { client, key, first: codeOf(await authorizeVisit(key)) };
  }

  test("redirects with a new code, state and iss, and the first code is unknown", async () => {
    const { client, key, first } = await authorizeOnce();
    const repeated = await authorizeVisit(key);
    if (repeated.kind !== "authorized") throw new Error(repeated.kind);
    const answer = new URL(repeated.returnTo).searchParams;
    expect([answer.get("state"), answer.get("iss")]).toEqual(["a state & more", "http://127.0.0.1:4000"]);
    expect(await exchange(client, first)).toEqual({ kind: "invalid_grant", cause: "code_unknown" });
    const grant = await exchange(client, codeOf(repeated));
    if (grant.kind !== "granted") throw new Error(grant.kind);
    // Replaying the first code revokes nothing, because it has no token.
    await exchange(client, first);
    expect(await authenticateAccessToken(grant.accessToken)).toMatchObject({ kind: "valid" });
  });

  test("does not extend the first code's lifetime, and issues none after it", async () => {
    const { client, key } = await authorizeOnce();
    await advanceClock(client, limits.authorizationCodeSeconds - 2);
    const repeated = codeOf(await authorizeVisit(key));
    await advanceClock(client, 2);
    expect(await authorizeVisit(key)).toEqual({ kind: "not_open" });
    expect(await exchange(client, repeated)).toEqual({ kind: "invalid_grant", cause: "code_expired" });
  });

  test("leaves a spent or burned code and its tokens alone", async () => {
    const { client, key, first } = await authorizeOnce();
    const grant = await exchange(client, first);
    expect(await authorizeVisit(key)).toEqual({ kind: "not_open" });
    expect(await authenticateAccessToken(grant.kind === "granted" ? grant.accessToken : "")).toMatchObject({
      kind: "valid",
    });
    const other = await authorizeOnce();
    await exchange(other.client, other.first, { redirectUri: "https://elsewhere.example/" });
    expect(await authorizeVisit(other.key)).toEqual({ kind: "not_open" });
  });

  test("does nothing after a revocation, after Cancel, or with another secret", async () => {
    const { client, key } = await authorizeOnce();
    expect(await authorizeVisit({ ...key, visitSecret: "another" })).toEqual({ kind: "not_open" });
    await revokeAuthorization(database(), { clientId: client.clientId, authorizationId: key.visitId });
    expect(await authorizeVisit(key)).toEqual({ kind: "not_open" });
    const cancelled = await openTestVisit(client, await insertTestUser(client));
    await cancelVisit(cancelled);
    expect(await authorizeVisit(cancelled)).toEqual({ kind: "not_open" });
  });

  test.each([
    ["the exchange comes first: the press finds it spent", 0],
    ["the press comes first: the exchange finds another code", 1],
  ])("while its code is exchanged: %s", async (_what, pressComesFirst) => {
    const { client, key, first } = await authorizeOnce();
    const code = await holdRows("select from authorization_codes where authorization_id = $1 for update", [
      key.visitId,
    ]);
    const acts = [() => exchange(client, first), () => authorizeVisit(key)] as const;
    const begun = [acts[pressComesFirst ? 1 : 0]()];
    await code.waiters(1);
    begun.push(acts[pressComesFirst ? 0 : 1]());
    await code.waiters(2);
    await code.release();
    const [ahead, behind] = await Promise.all(begun);
    if (pressComesFirst) {
      expect(behind).toEqual({ kind: "invalid_grant", cause: "code_unknown" });
      expect(await exchange(client, codeOf(ahead as AuthorizeOutcome))).toMatchObject({ kind: "granted" });
    } else {
      expect([ahead?.kind, behind]).toEqual(["granted", { kind: "not_open" }]);
    }
  });
});

test("exactly one of Authorize and Cancel wins a race", async () => {
  const client = await createTestClient();
  const keys = await Promise.all(
    Array.from({ length: 10 }, async () => openTestVisit(client, await insertTestUser(client))),
  );
  const outcomes = await Promise.all(keys.map((key) => Promise.all([authorizeVisit(key), cancelVisit(key)])));
  for (const pair of outcomes) expect(pair.filter(({ kind }) => kind === "not_open")).toHaveLength(1);
  const authorized = outcomes.filter(([{ kind }]) => kind === "authorized");
  expect(await listCodes(client.clientId)).toHaveLength(authorized.length);
});

test("consent is refused before the code is verified", async () => {
  const client = await createTestClient();
  const key = await openTestVisit(client, await insertTestUser(client), { loggedInSecondsAgo: 31 * 86_400 });
  expect(await authorizeVisit(key)).toEqual({ kind: "not_open" });
  expect(await listCodes(client.clientId)).toHaveLength(0);
  expect((await readVisit(key)).kind).toBe("verification_code");
});

test("an old cookie does not reopen a finished visit", async () => {
  const client = await createTestClient();
  const person = await insertTestUser(client);
  const key = await openTestVisit(client, person, { loggedInSecondsAgo: 31 * 86_400 });
  const [verificationCode = ""] = await readTestCodes(client, person.phone);
  await verifyCode(key, verificationCode);
  await cancelVisit(key);
  await advanceClock(client, 30);
  expect(await verifyCode(key, verificationCode)).toEqual({ kind: "not_waiting" });
  expect(await resendVerificationCode(key)).toEqual({ kind: "not_waiting" });
  expect(await authorizeVisit(key)).toEqual({ kind: "not_open" });
  expect(await cancelVisit(key)).toEqual({ kind: "not_open" });
  expect(await readVisit(key)).toMatchObject({ kind: "cancelled" });
});

describe("the page of a finished visit", () => {
  async function openVisit() {
    const client = await createTestClient();
    return { client, key: await openTestVisit(client, await insertTestUser(client)) };
  }

  test("offers to continue while the code is live and unspent, then says that the client has its answer", async () => {
    const { client, key } = await openVisit();
    await authorizeVisit(key);
    expect(await readVisit(key)).toEqual({ kind: "authorized", clientName: "Harbor & Sons" });
    await exchange(client, codeOf(await authorizeVisit(key)));
    expect(await readVisit(key)).toEqual({ kind: "finished", clientName: "Harbor & Sons" });
  });

  test("links back with access_denied once an unspent code has expired", async () => {
    const { client, key } = await openVisit();
    await authorizeVisit(key);
    await advanceClock(client, limits.authorizationCodeSeconds);
    const view = await readVisit(key);
    expect(view).toMatchObject({ kind: "expired", returnTo: expect.stringContaining("error=access_denied") });
  });

  test("offers nothing after a revocation", async () => {
    const { client, key } = await openVisit();
    await authorizeVisit(key);
    await revokeAuthorization(database(), { clientId: client.clientId, authorizationId: key.visitId });
    expect(await readVisit(key)).toEqual({ kind: "finished", clientName: "Harbor & Sons" });
  });

  test("links back with access_denied, state and iss after Cancel", async () => {
    const { key } = await openVisit();
    await cancelVisit(key);
    const view = await readVisit(key);
    if (view.kind !== "cancelled") throw new Error(view.kind);
    const answer = new URL(view.returnTo).searchParams;
    expect([answer.get("error"), answer.get("state"), answer.get("iss")]).toEqual([
      "access_denied",
      "a state & more",
      "http://127.0.0.1:4000",
    ]);
  });
});

test("Cancel returns access_denied with state and iss, once", async () => {
  const client = await createTestClient();
  const key = await openTestVisit(client, await insertTestUser(client));
  const outcome = await cancelVisit(key);
  if (outcome.kind !== "cancelled") throw new Error(outcome.kind);
  const answer = new URL(outcome.returnTo).searchParams;
  expect(answer.get("error")).toBe("access_denied");
  expect([answer.get("state"), answer.get("iss")]).toEqual(["a state & more", "http://127.0.0.1:4000"]);
  expect(await cancelVisit(key)).toEqual({ kind: "not_open" });
});

test("a visit expires after half an hour by the client's clock, and its page then only links back", async () => {
  const client = await createTestClient();
  const key = await openTestVisit(client, await insertTestUser(client));
  await advanceClock(client, 1798);
  expect((await readVisit(key)).kind).toBe("consent");
  await advanceClock(client, 2);
  expect(await readVisit(key)).toMatchObject({
    kind: "expired",
    returnTo: expect.stringContaining("error=access_denied"),
  });
  expect(await authorizeVisit(key)).toEqual({ kind: "not_open" });
  expect(await cancelVisit(key)).toEqual({ kind: "not_open" });
});

test.each(["rejected", "suspended"] as const)(
  "a %s person sees why, cannot consent, and can return",
  async (status) => {
    const client = await createTestClient();
    const person = await insertTestUser(client, { status });
    const reasons = [{ code: "identity_not_verified", message: "It could not be verified." }];
    await database().update(users).set({ rejectionReasons: reasons }).where(eq(users.id, person.userId));
    const key = await openTestVisit(client, person);
    expect(await readVisit(key)).toMatchObject({ kind: "not_permitted", status, reasons });
    expect(await authorizeVisit(key)).toEqual({ kind: "not_open" });
    expect(await cancelVisit(key)).toMatchObject({ kind: "cancelled" });
  },
);

test("a person who is suspended while reading the consent page is not authorized", async () => {
  const client = await createTestClient();
  const { userId, ...person } = await insertTestUser(client);
  const key = await openTestVisit(client, { userId, ...person });
  expect((await readVisit(key)).kind).toBe("consent");
  await database()
    .update(users)
    .set({ status: "suspended" })
    .where(and(eq(users.id, userId)));
  expect(await authorizeVisit(key)).toEqual({ kind: "not_open" });
  expect((await readVisit(key)).kind).toBe("not_permitted");
});

test("a person whose intent is pending can authorize", async () => {
  const client = await createTestClient();
  const key = await openTestVisit(client, await insertTestIntent(client, { status: "pending" }));
  expect(await authorizeVisit(key)).toMatchObject({ kind: "authorized" });
});

test("a wrong secret or an unknown visit id finds nothing", async () => {
  const client = await createTestClient();
  const key = await openTestVisit(client, await insertTestUser(client));
  const strangers = [
    { ...key, visitSecret: "" },
    { ...key, visitId: newId() },
    { ...key, visitId: "x' or 1=1" },
    { ...key, visitId: "" },
  ];
  for (const stranger of strangers) {
    expect(await readVisit(stranger)).toEqual({ kind: "unknown" });
    expect(await authorizeVisit(stranger)).toEqual({ kind: "not_open" });
    expect(await cancelVisit(stranger)).toEqual({ kind: "not_open" });
  }
  expect((await readVisit(key)).kind).toBe("consent");
});

describe.each([
  ["is disabled", { disabledAt: new Date() }],
  ["has lost the visit's redirect address", { redirectUris: ["https://partner.example/other"] }],
])("a visit whose client %s", (_what, settings) => {
  const untrusted = { loggedInSecondsAgo: 31 * 86_400 };

  async function openEachStep() {
    const client = await createTestClient();
    const { clientId } = client;
    const [person, texted, prompted] = [
      await insertTestUser(client),
      await insertTestUser(client),
      await insertTestUser(client, { status: "retry" }),
    ];
    const waiting = await openTestVisit(client, texted, untrusted);
    const consent = await openTestVisit(client, person);
    const retry = await openTestVisit(client, prompted);
    const finished = await openTestVisit(client, person);
    await authorizeVisit(finished);
    await advanceClock(client, limits.verificationCodeResendSeconds);
    const [verificationCode = ""] = await readTestCodes(client, texted.phone);
    await updateClient(database(), clientId, settings);
    return { client, texted, waiting, consent, retry, finished, verificationCode };
  }

  test("shows a page without a way back", async () => {
    const { waiting, consent, retry, finished } = await openEachStep();
    for (const key of [waiting, consent, retry, finished]) {
      expect(await readVisit(key)).toEqual({ kind: "withdrawn", clientName: "Harbor & Sons" });
    }
  });

  test("takes no code, details or answer, sends no text, and issues no code", async () => {
    const { client, texted, waiting, consent, retry, finished, verificationCode } = await openEachStep();
    expect(await verifyCode(waiting, verificationCode)).toEqual({ kind: "not_waiting" });
    expect(await resendVerificationCode(waiting)).toEqual({ kind: "not_waiting" });
    expect(await readTestCodes(client, texted.phone)).toHaveLength(1);
    expect(await correctIdentity(retry, { dateOfBirth: "1980-01-01", ssn: "123456789" })).toEqual({
      kind: "not_waiting",
    });
    const codes = await listCodes(client.clientId);
    for (const key of [consent, finished]) expect(await authorizeVisit(key)).toEqual({ kind: "not_open" });
    for (const key of [waiting, consent, retry]) expect(await cancelVisit(key)).toEqual({ kind: "not_open" });
    expect(await listCodes(client.clientId)).toEqual(codes);
  });

  test("goes on once that is undone", async () => {
    const { client, waiting, consent, finished, verificationCode } = await openEachStep();
    await updateClient(database(), client.clientId, { disabledAt: null, redirectUris: [client.redirectUri] });
    expect(await verifyCode(waiting, verificationCode)).toEqual({ kind: "verified" });
    expect(await authorizeVisit(consent)).toMatchObject({ kind: "authorized" });
    expect(await authorizeVisit(finished)).toMatchObject({ kind: "authorized" });
  });
});

test("the consent page tells a person from a business, and names the host and port that it returns to", async () => {
  const registered = await createTestClient();
  const redirectUri = "http://localhost:3000/callback";
  await registered.call("PUT", "/sandbox/client", { body: { redirect_uris: [redirectUri] } });
  const client = { ...registered, redirectUri };
  const business = { userId: client.businessUserId, phone: client.businessUserPhone, email: "" };
  for (const [person, isBusiness] of [
    [await insertTestUser(client), false],
    [business, true],
  ] as const) {
    const view = await readVisit(await openTestVisit(client, person));
    expect(view).toMatchObject({ kind: "consent", isBusiness, redirectHost: "localhost:3000" });
  }
});

test("finds the redirect origin of a visit, and none for any other id", async () => {
  const client = await createTestClient();
  const { visitId } = await openTestVisit(client, await insertTestUser(client));
  expect(await findVisitRedirectOrigin(visitId)).toBe("https://partner.example");
  expect(await findVisitRedirectOrigin(newId())).toBeUndefined();
  expect(await findVisitRedirectOrigin("..%00")).toBeUndefined();
});
