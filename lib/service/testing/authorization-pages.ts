import { eq, sql } from "drizzle-orm";
import type { UserIntentStatus, UserStatus } from "../../contract/statuses.ts";
import { newId } from "../../kit/ids.ts";
import { newSecret, sha256 } from "../../kit/secrets.ts";
import { openVisit } from "../operations/visits/open-visit.ts";
import { readMessages } from "../operations/visits/read-messages.ts";
import type { VisitKey } from "../operations/visits/visit-key.ts";
import { clientTime } from "../storage/client-time.ts";
import { database } from "../storage/database.ts";
import { clients, identityVerificationTokens, userIntents, users } from "../storage/schema.ts";

/** A client made for one test, so that tests run side by side. */
export type TestClient = { id: string; redirectUri: string; clientSecret: string };

/** A person of a test: as an intent, or as a user. */
export type TestPerson = { phone: string; email: string } & (
  | { userIntentId: string; userId?: never }
  | { userId: string; userIntentId?: never }
);

/** A new client with its own clock, enabled for trusted authentication unless told otherwise. */
export async function insertTestClient({ isTrusted = true } = {}): Promise<TestClient> {
  const id = `client-${newId()}`;
  const clientSecret = newSecret("");
  const redirectUri = "https://partner.example/callback?from=plainbook";
  await database()
    .insert(clients)
    .values({
      id,
      name: "Harbor & Sons",
      secretHash: sha256(clientSecret),
      redirectUris: [redirectUri],
      isTrustedAuthenticationEnabled: isTrusted,
      provider: "harbor",
      businessProfileId: newId(),
    });
  return { id, redirectUri, clientSecret };
}

/** Someone who is to be onboarded. */
export async function insertTestIntent(
  { id: clientId }: TestClient,
  { status = "approved", phone = newPhone(), email = "ada@example.com" }: Partial<TestIntent> = {},
): Promise<TestPerson> {
  const userIntentId = newId();
  const now = clientTime(clientId);
  await database()
    .insert(userIntents)
    .values({
      id: userIntentId,
      clientId,
      status,
      firstName: "Ada",
      lastName: "Lovelace",
      email,
      phone,
      identityEncrypted: "",
      traceId: "0".repeat(31).concat("1"),
      createdAt: now,
      updatedAt: now,
    });
  return { userIntentId, phone, email };
}

type TestIntent = { status: UserIntentStatus; phone: string; email: string };

/** Someone who is onboarded. */
export async function insertTestUser(
  { id: clientId }: TestClient,
  { status = "approved" }: { status?: UserStatus } = {},
): Promise<TestPerson & { userId: string }> {
  const person = { userId: newId(), phone: newPhone(), email: "grace@example.com" };
  const { userId: id, phone, email } = person;
  const now = clientTime(clientId);
  const row = {
    id,
    clientId,
    userType: "personal" as const,
    status,
    firstName: "Grace",
    lastName: "Hopper",
    email,
    phone,
  };
  await database()
    .insert(users)
    .values({ ...row, createdAt: now, updatedAt: now });
  return person;
}

/** A session token for this person, who logged in at the client so many seconds ago. */
export async function insertTestSessionToken(
  { id: clientId }: TestClient,
  { userIntentId, userId }: TestPerson,
  { loggedInSecondsAgo = 60 } = {},
): Promise<string> {
  const sessionToken = newSecret("gwi_");
  const now = clientTime(clientId);
  await database()
    .insert(identityVerificationTokens)
    .values({
      tokenHash: sha256(sessionToken),
      clientId,
      userIntentId,
      userId,
      customerId: "customer",
      lastAuthenticationAt: sql`${now} - make_interval(secs => ${loggedInSecondsAgo})`,
      expiresAt: sql`${now} + interval '1 minute'`,
      traceId: "0".repeat(31).concat("2"),
      createdAt: now,
    });
  return sessionToken;
}

/** The query with which the client sends this person, changed as told; undefined leaves a parameter out. */
export function authorizationQuery(
  client: TestClient,
  { userIntentId, userId }: Partial<TestPerson>,
  more: Record<string, string | undefined> = {},
): URLSearchParams {
  const parameters = {
    client_id: client.id,
    redirect_uri: client.redirectUri,
    response_type: "code",
    state: "a state & more",
    user_intent_id: userIntentId,
    user_id: userId,
    ...more,
  };
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(given);
}

/** Opens a visit for this person with a session token, trusted unless the login is too long ago. */
export async function openTestVisit(
  client: TestClient,
  person: TestPerson,
  options?: { loggedInSecondsAgo: number },
): Promise<VisitKey> {
  const session_token = await insertTestSessionToken(client, person, options);
  const arrival = await openVisit(authorizationQuery(client, person, { session_token }), { traceId: "f".repeat(32) });
  if (arrival.kind !== "opened") throw new Error(`The visit did not open: ${arrival.kind}`);
  return { visitId: arrival.visitId, visitSecret: arrival.visitSecret };
}

/** Moves one client's clock forward. */
export async function advanceTestClock({ id }: TestClient, seconds: number): Promise<void> {
  const clockOffset = sql`${clients.clockOffset} + make_interval(secs => ${seconds})`;
  await database().update(clients).set({ clockOffset }).where(eq(clients.id, id));
}

/** The codes texted to a phone so far, newest first. */
export async function readTestCodes({ id }: TestClient, phone: string): Promise<string[]> {
  const messages = await readMessages(id, phone);
  return messages.map(({ text }) => /\d{6}/.exec(text)?.[0] ?? "");
}

/** A code that is surely not this one. */
export function wrongCodeFor(verificationCode: string): string {
  return verificationCode === "000000" ? "000001" : "000000";
}

function newPhone(): string {
  return `+1202${String(Math.floor(Math.random() * 1e7)).padStart(7, "0")}`;
}
