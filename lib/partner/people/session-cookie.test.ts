import { decode, encode } from "next-auth/jwt";
import { expect, test } from "vitest";
import { log } from "../../kit/log.ts";
import { logToFile } from "../../kit/testing/log-file.ts";
import { partner } from "../process-partner.ts";
import { createPerson } from "../testing/people.ts";
import { endSession, findPersonOf, sealSession, sessionCookie } from "./session-cookie.ts";

const readLog = logToFile();

async function readSession(sealed: string): Promise<string | undefined> {
  return (await findPersonOf(partner(), sealed))?.person.id;
}

test("seals a session that names its person only with the secret", async () => {
  const { id } = await createPerson();
  const sealed = await sealSession(partner(), id);
  expect(sealed).not.toContain(id);
  expect(await readSession(sealed)).toBe(id);
  await expect(decode({ token: sealed, secret: "another secret of 32 characters or so" })).rejects.toThrow();
});

test("ends a session on the server: a copy of its cookie stops working, and other sessions continue", async () => {
  const { id } = await createPerson();
  const [copied, otherCookie] = [await sealSession(partner(), id), await sealSession(partner(), id)];
  await endSession(partner(), copied);
  expect(await readSession(copied)).toBeUndefined();
  expect(await readSession(otherCookie)).toBe(id);
  await endSession(partner(), "none of ours");
  await endSession(partner(), undefined);
});

test("ends a session after twelve hours, visited or not, and keeps its id nowhere in the clear", async () => {
  const { id } = await createPerson();
  const sealed = await sealSession(partner(), id);
  const row = "select expires_real_at - now() > interval '11 hours 59 minutes' as is_young, to_json(s)::text as row";
  const { rows } = await partner().pool.query(`${row} from sessions s where person_id = $1`, [id]);
  const token = await decode({ token: sealed, secret: partner().config.sessionSecret });
  expect(rows).toEqual([{ is_young: true, row: expect.not.stringContaining(String(token?.["sessionId"])) }]);
  await partner().pool.query(
    "update sessions set expires_real_at = expires_real_at - interval '12 hours' where person_id = $1",
    [id],
  );
  expect(await readSession(sealed)).toBeUndefined();
});

test("a cookie without a session ID opens no session", async () => {
  const { id } = await createPerson();
  const sealed = await encode({ token: { sub: id }, secret: partner().config.sessionSecret });
  expect(await readSession(sealed)).toBeUndefined();
});

test("keeps the session from scripts and from other sites' posts", () => {
  const cookie = sessionCookie(partner());
  expect(cookie.options).toMatchObject({ httpOnly: true, sameSite: "lax", path: "/", secure: false });
});

test.each(["garbage", "e30.e30.e30.e30.e30", "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAA.AAAA.AAAA", undefined])(
  "the cookie %s signs no one in and writes nothing to the log",
  async (value) => {
    log().info("before");
    expect(await findPersonOf(partner(), value)).toBeUndefined();
    expect(readLog().at(-1)).toMatchObject({ msg: "before" });
  },
);
