import { decode, encode } from "next-auth/jwt";
import { newSecret, sha256 } from "../../kit/secrets.ts";
import { partnerConfig } from "../config.ts";
import { database } from "../storage/database.ts";
import type { Person } from "../storage/people.ts";
import { deleteSession, findPersonOfSession, insertSession } from "../storage/sessions.ts";

// A session ends after this long in any case; the factors are asked again then.
const sessionSeconds = 12 * 60 * 60;

/** The name and attributes of the session's cookie. Lax, because the way back from the service is a cross-site navigation. */
export function sessionCookie() {
  const isSecure = new URL(partnerConfig().baseUrl).protocol === "https:";
  return {
    name: isSecure ? "__Host-harbor-session" : "harbor-session",
    options: { httpOnly: true, sameSite: "lax" as const, path: "/", secure: isSecure, maxAge: sessionSeconds },
  };
}

/** Begins a session of a person who has just passed both factors; the cookie's value, as next-auth itself would write it. */
export async function sealSession(personId: string): Promise<string> {
  const sessionId = newSecret("ses_");
  await insertSession(database(), { idHash: sha256(sessionId), personId, lifetimeSeconds: sessionSeconds });
  return encode({ token: { sessionId }, secret: partnerConfig().sessionSecret, maxAge: sessionSeconds });
}

/** The person of a session's cookie and the hash of its id; undefined when it is none of ours or has ended on the server. */
export async function findPersonOf(
  sealed: string | undefined,
): Promise<{ person: Person; sessionIdHash: Buffer } | undefined> {
  const sessionIdHash = await unseal(sealed);
  const person = sessionIdHash && (await findPersonOfSession(database(), sessionIdHash));
  return person && { person, sessionIdHash };
}

/** Ends the session of a cookie's value, for every copy of it; nothing happens when it is none of ours. */
export async function endSession(sealed: string | undefined): Promise<void> {
  const idHash = await unseal(sealed);
  if (idHash) await deleteSession(database(), idHash);
}

async function unseal(sealed: string | undefined): Promise<Buffer | undefined> {
  const { sessionSecret } = partnerConfig();
  const token = await decode({ ...(sealed && { token: sealed }), secret: sessionSecret }).catch(() => null);
  const sessionId = token?.["sessionId"];
  return typeof sessionId === "string" ? sha256(sessionId) : undefined;
}
