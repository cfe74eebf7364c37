import { getIronSession } from "iron-session";
import { cookies } from "next/headers";
import type { Partner } from "../partner.ts";

/** This browser's encrypted cookie: its content, with `save` and `destroy`. */
export async function openEncryptedCookie<Content extends object>(
  { config: { baseUrl, sessionSecret } }: Partner,
  name: string,
  lifetimeSeconds: number,
) {
  const isSecure = new URL(baseUrl).protocol === "https:";
  return getIronSession<Content>(await cookies(), {
    cookieName: `${isSecure ? "__Host-" : ""}harbor-${name}`,
    password: sessionSecret,
    ttl: lifetimeSeconds,
    cookieOptions: { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure },
  });
}
