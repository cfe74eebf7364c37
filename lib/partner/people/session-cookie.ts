import { decode, encode } from "next-auth/jwt";
import { newSecret, sha256 } from "../../kit/secrets.ts";
import type { Partner } from "../partner.ts";
import type { Person } from "../storage/people.ts";
import { deleteSession, findPersonOfSession, insertSession } from "./storage.ts";

const sessionSeconds = 12 * 60 * 60;

/** Lax, because the redirect back from the service is a cross-site navigation. */
export function sessionCookie(partner: Partner) {
  const isSecure = new URL(partner.config.baseUrl).protocol === "https:";
  return {
    name: isSecure ? "__Host-harbor-session" : "harbor-session",
    options: { httpOnly: true, sameSite: "lax" as const, path: "/", secure: isSecure, maxAge: sessionSeconds },
  };
}

/** Starts a session and returns the cookie's value in next-auth's format. */
export async function sealSession(partner: Partner, personId: string): Promise<string> {
  const sessionId = newSecret("ses_");
  await insertSession(partner.db, { idHash: sha256(sessionId), personId, lifetimeSeconds: sessionSeconds });
  return encode({ token: { sessionId }, secret: partner.config.sessionSecret, maxAge: sessionSeconds });
}

/** The person of a session cookie, while the session lasts. */
export async function findPersonOf(
  partner: Partner,
  sealed: string | undefined,
): Promise<{ person: Person; sessionIdHash: Buffer } | undefined> {
  const sessionIdHash = await unseal(partner, sealed);
  const person = sessionIdHash && (await findPersonOfSession(partner.db, sessionIdHash));
  return person && { person, sessionIdHash };
}

/** Ends a session on the server, which invalidates every copy of its cookie. */
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
