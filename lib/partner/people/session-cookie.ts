import type { NextAuthOptions } from "next-auth";
import { encode } from "next-auth/jwt";
import { memoize } from "../../kit/memoize.ts";
import { partnerConfig } from "../config.ts";

declare module "next-auth" {
  interface Session {
    personId?: string | undefined;
  }
}

// A session ends after this long without a visit; the factors are asked again then.
const sessionSeconds = 12 * 60 * 60;

/** How next-auth keeps sessions here: an encrypted cookie that holds the person's id and nothing else. */
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
      session: ({ session: { expires }, token }) => ({ expires, personId: token.sub }),
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

/** The cookie's value for a person who has just passed both factors, as next-auth itself would write it. */
export function sealSession(personId: string): Promise<string> {
  const { sessionSecret } = partnerConfig();
  return encode({ token: { sub: personId }, secret: sessionSecret, maxAge: sessionSeconds });
}
