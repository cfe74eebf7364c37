import { expect, test } from "vitest";
import { newId } from "../../../kit/ids.ts";
import { inTransaction } from "../../storage/database.ts";
import { findVisitByKey } from "../../storage/visits.ts";
import { advanceClock, createTestClient } from "../../testing/clients.ts";
import { insertTestIntent, insertTestUser } from "../../testing/people.ts";
import { authorizationQuery, insertTestSessionToken, openTestVisit } from "../../testing/visits.ts";
import { convertUserIntent } from "../people/convert-user-intent.ts";
import { openVisit } from "./open-visit.ts";
import { readVisit } from "./read-visit.ts";

const traceId = "a".repeat(32);

// A session token opens one visit, even if someone else sees it.
test("a session token used a hundred times concurrently opens one visit", async () => {
  const client = await createTestClient();
  const person = await insertTestIntent(client);
  const session_token = await insertTestSessionToken(client, person);
  const query = authorizationQuery(client, person, { session_token });
  const arrivals = await Promise.all(Array.from({ length: 100 }, () => openVisit(query, { traceId })));
  expect(arrivals.filter(({ kind }) => kind === "opened")).toHaveLength(1);
  const unusable = { kind: "unusable_session_token", cause: "session_token_spent" };
  expect(arrivals.filter((arrival) => arrival.kind !== "opened")).toMatchObject(Array(99).fill(unusable));
});

test("a session token is valid at 59 seconds and expired at 60, by its client's clock", async () => {
  const client = await createTestClient();
  const otherClient = await createTestClient();
  const person = await insertTestUser(client);
  const [first, second] = [await insertTestSessionToken(client, person), await insertTestSessionToken(client, person)];
  await advanceClock(otherClient, 3600);
  // Up to a second of real time may have passed since it was minted.
  await advanceClock(client, 58.5);
  expect(await openVisit(authorizationQuery(client, person, { session_token: first }), { traceId })).toMatchObject({
    kind: "opened",
  });
  await advanceClock(client, 1.5);
  expect(await openVisit(authorizationQuery(client, person, { session_token: second }), { traceId })).toMatchObject({
    kind: "unusable_session_token",
    cause: "session_token_expired",
  });
});

test("a session token used by another client stays unspent", async () => {
  const [client, thief] = [await createTestClient(), await createTestClient()];
  const person = await insertTestUser(client);
  const session_token = await insertTestSessionToken(client, person);
  const stolen = await openVisit(authorizationQuery(thief, person, { session_token }), { traceId });
  expect(stolen).toMatchObject({ kind: "unusable_session_token", cause: "session_token_of_another_client" });
  const rightful = await openVisit(authorizationQuery(client, person, { session_token }), { traceId });
  expect(rightful.kind).toBe("opened");
});

test("a session token used for another person is spent and opens nothing", async () => {
  const client = await createTestClient();
  const [person, otherIntent] = [await insertTestIntent(client), await insertTestIntent(client)];
  const session_token = await insertTestSessionToken(client, person);
  const mistaken = await openVisit(authorizationQuery(client, otherIntent, { session_token }), { traceId });
  expect(mistaken).toMatchObject({ kind: "sent_back", returnTo: expect.stringContaining("error=invalid_request") });
  const repeated = await openVisit(authorizationQuery(client, person, { session_token }), { traceId });
  expect(repeated.kind).toBe("unusable_session_token");
});

test("an unknown person without a session token is refused without a word about one", async () => {
  const client = await createTestClient();
  await client.call("PUT", "/sandbox/client", { body: { trusted_authentication: false } });
  const unknown = { userIntentId: newId() } as never;
  const arrival = await openVisit(authorizationQuery(client, unknown, { session_token: undefined }), { traceId });
  expect(arrival).toMatchObject({ kind: "sent_back", returnTo: expect.stringContaining("no+such+user+intent") });
});

test.each([
  ["30 days less a second", 30 * 86_400 - 1, "consent"],
  ["30 days and a second", 30 * 86_400 + 1, "verification_code"],
  ["59 seconds ahead", -59, "consent"],
  ["62 seconds ahead", -62, "verification_code"],
])("a login %s ago starts at the step %s", async (_case, loggedInSecondsAgo, step) => {
  const client = await createTestClient();
  const person = await insertTestUser(client);
  const session_token = await insertTestSessionToken(client, person, { loggedInSecondsAgo });
  const arrival = await openVisit(authorizationQuery(client, person, { session_token }), { traceId });
  if (arrival.kind !== "opened") throw new Error(arrival.kind);
  expect((await readVisit(arrival)).kind).toBe(step);
});

test.each([
  ["spring", "2030-03-20T12:00:00Z"],
  ["fall", "2030-11-15T12:00:00Z"],
])("a login is trusted for thirty times 24 hours, even across the clock change in %s", async (_season, now) => {
  const client = await createTestClient();
  await advanceClock(client, (Date.parse(now) - Date.now()) / 1000);
  const person = await insertTestUser(client);
  const steps: string[] = [];
  for (const loggedInSecondsAgo of [30 * 86_400 - 120, 30 * 86_400 + 120]) {
    steps.push((await readVisit(await openTestVisit(client, person, { loggedInSecondsAgo }))).kind);
  }
  expect(steps).toEqual(["consent", "verification_code"]);
});

test("a login is judged by its age when the token is redeemed, not when it was minted", async () => {
  const client = await createTestClient();
  const person = await insertTestUser(client);
  const session_token = await insertTestSessionToken(client, person, { loggedInSecondsAgo: 30 * 86_400 - 10 });
  await advanceClock(client, 30);
  const arrival = await openVisit(authorizationQuery(client, person, { session_token }), { traceId });
  if (arrival.kind !== "opened") throw new Error(arrival.kind);
  expect((await readVisit(arrival)).kind).toBe("verification_code");
});

test("a login is no longer trusted once trusted authentication has been turned off for its client", async () => {
  const client = await createTestClient();
  const person = await insertTestUser(client);
  const session_token = await insertTestSessionToken(client, person);
  await client.call("PUT", "/sandbox/client", { body: { trusted_authentication: false } });
  const arrival = await openVisit(authorizationQuery(client, person, { session_token }), { traceId });
  if (arrival.kind !== "opened") throw new Error(arrival.kind);
  expect((await readVisit(arrival)).kind).toBe("verification_code");
});

test("a trusted person whose phone belongs to someone else is redirected with access_denied", async () => {
  const client = await createTestClient();
  const owner = await insertTestUser(client);
  const person = await insertTestIntent(client, { phone: owner.phone, email: "eve@example.com" });
  const session_token = await insertTestSessionToken(client, person);
  const arrival = await openVisit(authorizationQuery(client, person, { session_token }), { traceId });
  expect(arrival).toMatchObject({ kind: "sent_back", returnTo: expect.stringContaining("error=access_denied") });
});

test.each([
  ["trusted", 60],
  ["asked for a code", 31 * 86_400],
])("a converted intent opens the pages as its user, %s", async (_case, loggedInSecondsAgo) => {
  const client = await createTestClient();
  const person = await insertTestIntent(client);
  const conversion = await inTransaction((tx) => convertUserIntent(tx, person.userIntentId ?? ""));
  if (conversion.kind !== "user") throw new Error(conversion.kind);
  const session_token = await insertTestSessionToken(client, person, { loggedInSecondsAgo });
  const arrival = await openVisit(authorizationQuery(client, person, { session_token }), { traceId });
  if (arrival.kind !== "opened") throw new Error(arrival.kind);
  const visit = await findVisitByKey(arrival);
  expect(visit?.userId).toBe(conversion.user.id);
  expect((await readVisit(arrival)).kind).toBe(loggedInSecondsAgo === 60 ? "consent" : "verification_code");
});

test("a session token minted for an intent opens nothing unless the intent is named", async () => {
  const client = await createTestClient();
  const person = await insertTestIntent(client);
  const session_token = await insertTestSessionToken(client, person);
  const arrival = await openVisit(authorizationQuery(client, {}, { session_token }), { traceId });
  expect(arrival).toMatchObject({ kind: "sent_back", returnTo: expect.stringContaining("error=invalid_request") });
});

test("a session token minted for a user opens the pages, whether or not the user is named", async () => {
  const client = await createTestClient();
  const person = await insertTestUser(client);
  for (const named of [person, {}]) {
    const session_token = await insertTestSessionToken(client, person);
    const arrival = await openVisit(authorizationQuery(client, named, { session_token }), { traceId });
    expect(arrival.kind).toBe("opened");
  }
});

test("a client cannot open a visit for another client's person", async () => {
  const [client, otherClient] = [await createTestClient({ isTrusted: false }), await createTestClient()];
  for (const person of [await insertTestIntent(otherClient), await insertTestUser(otherClient)]) {
    const arrival = await openVisit(authorizationQuery(client, person), { traceId });
    expect(arrival).toMatchObject({ kind: "sent_back", returnTo: expect.stringContaining("error=invalid_request") });
  }
});

test("people of a client without trusted authentication are asked for a code", async () => {
  const client = await createTestClient({ isTrusted: false });
  const person = await insertTestIntent(client);
  const arrival = await openVisit(authorizationQuery(client, person), { traceId });
  if (arrival.kind !== "opened") throw new Error(arrival.kind);
  expect(await readVisit(arrival)).toMatchObject({
    kind: "verification_code",
    maskedPhone: `••• ••• ${person.phone.slice(-4)}`,
  });
});
