import { decode } from "next-auth/jwt";
import { expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { partnerConfig } from "../config.ts";
import { sealSession, sessionCookie, sessionOptions } from "./session-cookie.ts";

test("seals the person's id so that next-auth reads it, and nobody without the secret does", async () => {
  const personId = newId();
  const sealed = await sealSession(personId);
  expect(sealed).not.toContain(personId);
  expect((await decode({ token: sealed, secret: partnerConfig().sessionSecret }))?.sub).toBe(personId);
  await expect(decode({ token: sealed, secret: "another secret of 32 characters or so" })).rejects.toThrow();
});

test("keeps the session from scripts and from other sites' posts, under the name that next-auth looks for", () => {
  const cookie = sessionCookie();
  expect(cookie.options).toMatchObject({ httpOnly: true, sameSite: "lax", path: "/", secure: false });
  expect(sessionOptions().cookies?.sessionToken).toEqual(cookie);
  expect(process.env["NEXTAUTH_URL"]).toBe(partnerConfig().baseUrl);
});
