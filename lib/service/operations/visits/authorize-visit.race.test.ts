import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { newId } from "../../../kit/ids.ts";
import { database } from "../../storage/database.ts";
import { authorizationCodes, users } from "../../storage/schema.ts";
import { createTestClient } from "../../testing/clients.ts";
import { advanceClock } from "../../testing/clock.ts";
import { insertTestIntent, insertTestUser } from "../../testing/people.ts";
import { openTestVisit, readTestCodes } from "../../testing/visits.ts";
import { authorizeVisit } from "./authorize-visit.ts";
import { cancelVisit } from "./cancel-visit.ts";
import { findVisitRedirectOrigin } from "./find-visit-redirect-origin.ts";
import { readVisit } from "./read-visit.ts";
import { resendVerificationCode } from "./send-verification-code.ts";
import { verifyCode } from "./verify-code.ts";

function listCodes(clientId: string) {
  return database().select().from(authorizationCodes).where(eq(authorizationCodes.clientId, clientId));
}

test("Authorize returns with code, state and iss, to the registered address as it stands", async () => {
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

// The guarantee: one visit, one code, however often and fast Authorize is pressed.
test("issues one code when Authorize is pressed twenty times at once", async () => {
  const client = await createTestClient();
  const key = await openTestVisit(client, await insertTestUser(client));
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => authorizeVisit(key)));
  expect(outcomes.filter(({ kind }) => kind === "authorized")).toHaveLength(1);
  expect(await listCodes(client.clientId)).toHaveLength(1);
  expect((await readVisit(key)).kind).toBe("finished");
});

test("of Authorize and Cancel at once exactly one wins", async () => {
  const client = await createTestClient();
  const keys = await Promise.all(
    Array.from({ length: 10 }, async () => openTestVisit(client, await insertTestUser(client))),
  );
  const outcomes = await Promise.all(keys.map((key) => Promise.all([authorizeVisit(key), cancelVisit(key)])));
  for (const pair of outcomes) expect(pair.filter(({ kind }) => kind === "not_open")).toHaveLength(1);
  const authorized = outcomes.filter(([{ kind }]) => kind === "authorized");
  expect(await listCodes(client.clientId)).toHaveLength(authorized.length);
});

test("consent cannot be skipped by calling it before the code is verified", async () => {
  const client = await createTestClient();
  const key = await openTestVisit(client, await insertTestUser(client), { loggedInSecondsAgo: 31 * 86_400 });
  expect(await authorizeVisit(key)).toEqual({ kind: "not_open" });
  expect(await listCodes(client.clientId)).toHaveLength(0);
  expect((await readVisit(key)).kind).toBe("verification_code");
});

test("an old cookie brings a finished visit back to no step", async () => {
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
  expect(await readVisit(key)).toEqual({ kind: "finished", clientName: "Harbor & Sons" });
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

test("a visit ends after half an hour by the client's clock, and only leads back", async () => {
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
  "a %s person is told so, cannot consent, and can go back",
  async (status) => {
    const client = await createTestClient();
    const key = await openTestVisit(client, await insertTestUser(client, { status }));
    expect(await readVisit(key)).toMatchObject({ kind: "not_permitted", status });
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

test("whoever brings the wrong secret or no visit's id finds nothing", async () => {
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

test("tells the origin that a visit's forms may end at, and nothing for any other text", async () => {
  const client = await createTestClient();
  const { visitId } = await openTestVisit(client, await insertTestUser(client));
  expect(await findVisitRedirectOrigin(visitId)).toBe("https://partner.example");
  expect(await findVisitRedirectOrigin(newId())).toBeUndefined();
  expect(await findVisitRedirectOrigin("..%00")).toBeUndefined();
});
