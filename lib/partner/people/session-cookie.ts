import { decode, encode } from "next-auth/jwt";
import { newSecret, sha256 } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";
import type { Person } from "../storage/people.ts";
import { deleteSession, findPersonOfSession, insertSession } from "./storage.ts";

// A session ends after this long in any case; the factors are asked again then.
const sessionSeconds = 12 * 60 * 60;

/** The name and attributes of the session's cookie. Lax, because the way back from the service is a cross-site navigation. */
export function sessionCookie(partner: Partner) {
  const isSecure = new URL(partner.config.baseUrl).protocol === "https:";
  return {
    name: isSecure ? "__Host-harbor-session" : "harbor-session",
    options: { httpOnly: true, sameSite: "lax" as const, path: "/", secure: isSecure, maxAge: sessionSeconds },
  };
}

/** Begins a session of a person who has just passed both factors; the cookie's value, as next-auth itself would write it. */
export async function sealSession(partner: Partner, personId: string): Promise<string> {
  const sessionId = newSecret("ses_");
  await insertSession(partner.db, { idHash: sha256(sessionId), personId, lifetimeSeconds: sessionSeconds });
  return encode({ token: { sessionId }, secret: partner.config.sessionSecret, maxAge: sessionSeconds });
}

/** The person of a session's cookie and the hash of its id; undefined when it is none of ours or has ended on the server. */
export async function findPersonOf(
  partner: Partner,
  sealed: string | undefined,
): Promise<{ person: Person; sessionIdHash: Buffer } | undefined> {
  const sessionIdHash = await unseal(partner, sealed);
  const person = sessionIdHash && (await findPersonOfSession(partner.db, sessionIdHash));
  return person && { person, sessionIdHash };
}

/** Ends the session of a cookie's value, for every copy of it; nothing happens when it is none of ours. */
export async function endSession(partner: Partner, sealed: string | undefined): Promise<void> {
  const idHash = await unseal(partner, sealed);
  if (idHash) await deleteSession(partner.db, idHash);
}

async function unseal(partner: Partner, sealed: string | undefined): Promise<Buffer | undefined> {
  const { sessionSecret } = partner.config;
  const token = await decode({ ...(sealed && { token: sealed }), secret: sessionSecret }).catch(() => null);
  const sessionId = token?.["sessionId"];
  return typeof sessionId === "string" ? sha256(sessionId) : undefined;
}
