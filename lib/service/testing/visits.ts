import { sql } from "drizzle-orm";
import { newSecret, sha256 } from "../../kit/secrets.ts";
import type { TraceId } from "../../kit/trace.ts";
import { authorizeVisit } from "../operations/visits/finish-visit.ts";
import { openVisit } from "../operations/visits/open-visit.ts";
import type { VisitKey } from "../operations/visits/read-visit.ts";
import { verifyCode } from "../operations/visits/verify-code.ts";
import { readMessages } from "../sandbox/visit-tools.ts";
import { clientTimeOfInsert } from "../storage/clients.ts";
import { database } from "../storage/database.ts";
import { identityVerificationTokens } from "../storage/schema.ts";
import type { ClientKey, TestClient } from "./clients.ts";
import type { TestPerson } from "./people.ts";

type SessionTokenOptions = {
  loggedInSecondsAgo?: number;
  /** The trace of the minting request, which the visit joins. */
  traceId?: TraceId;
};

/** A session token for this person, who logged in this many seconds ago. */
export async function insertTestSessionToken(
  { clientId }: ClientKey,
  { userIntentId, userId }: TestPerson,
  { loggedInSecondsAgo = 60, traceId = "0".repeat(31).concat("2") }: SessionTokenOptions = {},
): Promise<string> {
  const sessionToken = newSecret("gwi_");
  const now = clientTimeOfInsert(clientId);
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
      traceId,
      createdAt: now,
    });
  return sessionToken;
}

/** The query of a redirect for this person, with changes; undefined removes a parameter. */
export function authorizationQuery(
  client: ClientKey & Pick<TestClient, "redirectUri">,
  { userIntentId, userId }: Partial<TestPerson>,
  more: Record<string, string | undefined> = {},
): URLSearchParams {
  const parameters = {
    client_id: client.clientId,
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

/** Opens a visit with a session token, trusted unless the login is too old. */
export async function openTestVisit(
  client: ClientKey & Pick<TestClient, "redirectUri">,
  person: TestPerson,
  options?: SessionTokenOptions,
): Promise<VisitKey> {
  const session_token = await insertTestSessionToken(client, person, options);
  const arrival = await openVisit(authorizationQuery(client, person, { session_token }), { traceId: "f".repeat(32) });
  if (arrival.kind !== "opened") throw new Error(`The visit didn't open: ${arrival.kind}`);
  return { visitId: arrival.visitId, visitSecret: arrival.visitSecret };
}

/** Newest first. */
export async function readTestCodes({ clientId }: ClientKey, phone: string): Promise<string[]> {
  const messages = await readMessages(clientId, phone);
  return messages.map(({ text }) => /\d{6}/.exec(text)?.[0] ?? "");
}

/**
 * Follows an authorization address as a browser does, enters the texted code unless the token is trusted, presses
 * Authorize, and returns the redirect's address.
 */
export async function authorizeByHand(address: URL, { clientId, phone }: { clientId: string; phone: string }) {
  const answer = await fetch(address, { redirect: "manual" });
  const visitId = /^\/login\/oauth\/authorize\/(.+)$/.exec(answer.headers.get("location") ?? "")?.[1];
  const visitSecret = /^visit-[^=]+=([^;]+);/.exec(answer.headers.get("set-cookie") ?? "")?.[1];
  if (!visitId || !visitSecret) throw new Error(`No visit was opened: ${answer.status} ${await answer.text()}`);
  const key = { visitId, visitSecret };
  const [verificationCode] = await readTestCodes({ clientId }, phone);
  if (verificationCode) await verifyCode(key, verificationCode);
  const outcome = await authorizeVisit(key);
  if (outcome.kind !== "authorized") throw new Error("The visit isn't at the consent step.");
  return { returnTo: new URL(outcome.returnTo), visitSecret, verificationCode };
}
