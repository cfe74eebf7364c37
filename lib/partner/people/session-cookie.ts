import type { NextAuthOptions, Session } from "next-auth";
import { decode, encode, type JWT } from "next-auth/jwt";
import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
import { memoize } from "../../kit/memoize.ts";
import { newSecret, sha256 } from "../../kit/secrets.ts";
import { partnerConfig } from "../config.ts";
import { database } from "../storage/database.ts";
import type { Person } from "../storage/people.ts";
import { deleteSession, findPersonOfSession, insertSession } from "../storage/sessions.ts";

declare module "next-auth" {
  interface Session {
    /** Hex. The id itself stays in the cookie: next-auth tells its session to any script that asks. */
    idHash?: string | undefined;
  }
}

// A session ends after this long in any case; the factors are asked again then.
const sessionSeconds = 12 * 60 * 60;

/** How next-auth keeps sessions here: an encrypted cookie that holds a session's id, and a row that says whose it is. */
export const sessionOptions = memoize((): NextAuthOptions => {
  const { baseUrl, sessionSecret } = partnerConfig();
  // next-auth reads its own address from the environment only.
  process.env["NEXTAUTH_URL"] = baseUrl;
  return {
    // Both factors are checked by our own actions (complete-sign-in.ts), so next-auth offers no way in by itself.
    providers: [],
    secret: sessionSecret,
    session: { strategy: "jwt", maxAge: sessionSeconds },
    pages: { signIn: "/sign-in", error: "/sign-in" },
    cookies: { sessionToken: sessionCookie() },
    callbacks: {
      // The row is asked for outside (findPersonOf): next-auth takes an exception in here for nobody being signed in.
      session: ({ session: { expires }, token }) => ({ expires, idHash: idHashOf(token)?.toString("hex") }),
    },
    events: { signOut: ({ token }) => end(token) },
    logger: {
      error: (code, metadata) => {
        // A cookie that is none of ours: whoever sends it is not signed in, and that is all there is to say.
        if (code === "JWT_SESSION_ERROR") return;
        const error = metadata instanceof Error ? metadata : metadata.error;
        log().error({ reason: code, error: describeError(error) }, "next-auth failed");
      },
      warn: (code) => log().warn({ reason: code }, "next-auth warns"),
      debug: () => {},
    },
  };
});

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

/** The person whose session this is, as next-auth reads it; undefined when it has ended on the server. */
export async function findPersonOf(session: Session | null): Promise<Person | undefined> {
  return session?.idHash ? findPersonOfSession(database(), Buffer.from(session.idHash, "hex")) : undefined;
}

/** Ends the session of a cookie's value, for every copy of it; nothing happens when it is none of ours. */
export async function endSession(sealed: string | undefined): Promise<void> {
  const { sessionSecret } = partnerConfig();
  const token = await decode({ ...(sealed && { token: sealed }), secret: sessionSecret }).catch(() => null);
  if (token) await end(token);
}

async function end(token: JWT): Promise<void> {
  const idHash = idHashOf(token);
  if (idHash) await deleteSession(database(), idHash);
}

function idHashOf({ sessionId }: JWT): Buffer | undefined {
  return typeof sessionId === "string" ? sha256(sessionId) : undefined;
}
