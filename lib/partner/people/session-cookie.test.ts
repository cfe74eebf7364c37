import type { IncomingMessage, ServerResponse } from "node:http";
import { getServerSession, type Session } from "next-auth";
import { decode, encode } from "next-auth/jwt";
import { expect, test, vi } from "vitest";
import { partnerConfig } from "../config.ts";
import { partnerPool } from "../storage/database.ts";
import { createPerson } from "../testing/people.ts";
import { endSession, findPersonOf, sealSession, sessionCookie, sessionOptions } from "./session-cookie.ts";

/** Whom next-auth says a cookie's value belongs to. */
async function readSession(sealed: string): Promise<string | undefined> {
  const token = await decode({ token: sealed, secret: partnerConfig().sessionSecret });
  const read = sessionOptions().callbacks?.session;
  const params = { session: { expires: "" }, token } as Parameters<NonNullable<typeof read>>[0];
  const session = (await read?.(params)) as Session;
  expect(JSON.stringify(session)).not.toContain(token?.["sessionId"]);
  return (await findPersonOf(session))?.id;
}

test("seals a session so that next-auth knows whose it is, and nobody without the secret does", async () => {
  const { id } = await createPerson();
  const sealed = await sealSession(id);
  expect(sealed).not.toContain(id);
  expect(await readSession(sealed)).toBe(id);
  await expect(decode({ token: sealed, secret: "another secret of 32 characters or so" })).rejects.toThrow();
});

test("ends a session on the server: a copy of its cookie is of no more use, and other sessions go on", async () => {
  const { id } = await createPerson();
  const [copied, other] = [await sealSession(id), await sealSession(id)];
  await endSession(copied);
  expect(await readSession(copied)).toBeUndefined();
  expect(await readSession(other)).toBe(id);
  await endSession("none of ours");
  await endSession(undefined);
});

test("ends a session when it is signed out by next-auth's own address too", async () => {
  const sealed = await sealSession((await createPerson()).id);
  const token = await decode({ token: sealed, secret: partnerConfig().sessionSecret });
  if (token) await sessionOptions().events?.signOut?.({ token, session: { expires: "" } });
  expect(await readSession(sealed)).toBeUndefined();
});

test("ends a session after twelve hours, visited or not, and keeps its id nowhere in the clear", async () => {
  const { id } = await createPerson();
  const sealed = await sealSession(id);
  const row = "select expires_real_at - now() > interval '11 hours 59 minutes' as is_young, to_json(s)::text as row";
  const { rows } = await partnerPool().query(`${row} from sessions s where person_id = $1`, [id]);
  const token = await decode({ token: sealed, secret: partnerConfig().sessionSecret });
  expect(rows).toEqual([{ is_young: true, row: expect.not.stringContaining(String(token?.["sessionId"])) }]);
  await partnerPool().query(
    "update sessions set expires_real_at = expires_real_at - interval '12 hours' where person_id = $1",
    [id],
  );
  expect(await readSession(sealed)).toBeUndefined();
});

test("gives nobody a session whose cookie names none", async () => {
  const { id } = await createPerson();
  const sealed = await encode({ token: { sub: id }, secret: partnerConfig().sessionSecret });
  expect(await readSession(sealed)).toBeUndefined();
});

test("keeps the session from scripts and from other sites' posts, under the name that next-auth looks for", () => {
  const cookie = sessionCookie();
  expect(cookie.options).toMatchObject({ httpOnly: true, sameSite: "lax", path: "/", secure: false });
  expect(sessionOptions().cookies?.sessionToken).toEqual(cookie);
  expect(process.env["NEXTAUTH_URL"]).toBe(partnerConfig().baseUrl);
});

test.each(["garbage", "e30.e30.e30.e30.e30", "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAA.AAAA.AAAA"])(
  "takes the cookie %s for nobody's, and writes nothing about it",
  async (value) => {
    const written = vi.spyOn(console, "error");
    const request = { headers: {}, cookies: { [sessionCookie().name]: value } };
    const response = { getHeader: () => undefined, setHeader: () => {} };
    const session = await getServerSession(
      request as unknown as IncomingMessage & { cookies: Record<string, string> },
      response as unknown as ServerResponse,
      sessionOptions(),
    );
    expect(session).toBeNull();
    expect(written).not.toHaveBeenCalled();
    written.mockRestore();
  },
);
