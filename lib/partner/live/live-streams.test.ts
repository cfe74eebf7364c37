import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newSecret, sha256 } from "../../kit/secrets.ts";
import { type CuttableLink, openLink } from "../../kit/testing/cuttable-link.ts";
import type { SignedIn } from "../people/session.ts";
import { deleteSession, insertSession } from "../people/storage.ts";
import { partner } from "../process-partner.ts";
import type { Person } from "../storage/people.ts";
import { type LiveReader, readLive } from "../testing/live-reader.ts";
import { createPerson } from "../testing/people.ts";
import { createLiveStreams, type LiveStreams, type LiveStreamsOptions } from "./live-streams.ts";

let streams: LiveStreams;
afterEach(() => streams.stop());

// No heartbeat unless a test wants one, because it would also end streams that a notification should have ended.
function start(options: LiveStreamsOptions = {}): void {
  streams = createLiveStreams(partner(), { beatMs: 3_600_000, ...options });
}

async function signIn(person: Person, lifetimeSeconds = 60): Promise<SignedIn> {
  const sessionIdHash = sha256(newSecret("ses_"));
  await insertSession(partner().db, { idHash: sessionIdHash, personId: person.id, lifetimeSeconds });
  return { person, sessionIdHash };
}

function open(signedIn: SignedIn, since?: string): LiveReader {
  const opened = streams.open(signedIn, since);
  if (opened.kind !== "open") throw new Error(`The stream was not opened: ${opened.kind}.`);
  return readLive(opened.body);
}

/** A page whose stream is ready and receives every change. */
async function openReady(signedIn: SignedIn): Promise<LiveReader> {
  const reader = open(signedIn);
  expect(await reader.next()).toEqual({ kind: "ready" });
  return reader;
}

async function announce(to: string, topic: string, id?: string): Promise<void> {
  await partner().pool.query("select announce_change($1, $2, $3)", [to, topic, id]);
}

async function endListening(): Promise<void> {
  await partner().pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where query ilike 'listen "harbor_changes"' and datname = current_database()`,
  );
}

test("sends a person's changes as soon as they are committed", async () => {
  start();
  const person = await createPerson();
  const reader = await openReady(await signIn(person));
  const writer = await partner().pool.connect();
  await writer.query("begin");
  await writer.query("select announce_change($1, 'onboarding')", [person.id]);
  await writer.query("rollback");
  await writer.query("begin");
  await writer.query("select announce_change($1, 'user')", [person.id]);
  await writer.query("commit");
  writer.release();
  expect(await reader.next()).toEqual({ kind: "changed", topic: "user" });
});

test("sends one ready event, no matter how long its session's lookup takes", async () => {
  start();
  const signedIn = await signIn(await createPerson());
  const locker = await partner().pool.connect();
  await locker.query("begin; lock table sessions in access exclusive mode");
  const reader = open(signedIn);
  expect(await reader.next()).toEqual({ kind: "ready" });
  await locker.query("commit");
  locker.release();
  await announce(signedIn.person.id, "user");
  expect(await reader.next()).toEqual({ kind: "changed", topic: "user" });
});

test("sends no one another person's changes", async () => {
  start();
  const [seller, otherPerson, operator] = [
    await createPerson(),
    await createPerson(),
    await createPerson({ role: "operator" }),
  ];
  const ofSeller = await openReady(await signIn(seller));
  const ofOperator = await openReady(await signIn(operator));
  await announce(otherPerson.id, "onboarding");
  await announce("operators", "routines", "one");
  await announce(seller.id, "user");
  await announce(operator.id, "user");
  expect(await ofSeller.next()).toEqual({ kind: "changed", topic: "user" });
  const toOperator = [await ofOperator.next(), await ofOperator.next()];
  expect(toOperator).toEqual([
    { kind: "changed", topic: "routines", id: "one" },
    { kind: "changed", topic: "user" },
  ]);
});

test("combines announcements made at the same moment into one event", async () => {
  start();
  const person = await createPerson();
  const reader = await openReady(await signIn(person));
  for (let at = 0; at < 20; at++) await announce(person.id, "routines");
  await announce(person.id, "user");
  expect(await reader.next()).toEqual({ kind: "changed", topic: "routines" });
  await expect.poll(() => reader.next()).toEqual({ kind: "changed", topic: "user" });
});

test("ignores what it can't read", async () => {
  start();
  const person = await createPerson();
  const reader = await openReady(await signIn(person));
  await announce(person.id, "of a newer release");
  await partner().pool.query("select pg_notify('harbor_changes', 'no json')");
  await announce(person.id, "user");
  expect(await reader.next()).toEqual({ kind: "changed", topic: "user" });
});

test("ends a stream with its session, and no other stream of that person", async () => {
  start();
  const person = await createPerson();
  const [here, elsewhere] = [await signIn(person), await signIn(person)];
  const [ended, booksAgain] = [await openReady(here), await openReady(elsewhere)];
  await deleteSession(partner().db, here.sessionIdHash);
  expect(await ended.next()).toEqual({ kind: "session_ended" });
  expect(await ended.next()).toBeUndefined();
  await announce(person.id, "user");
  expect(await booksAgain.next()).toEqual({ kind: "changed", topic: "user" });
});

test("ends a stream at the next beat after its session has expired", async () => {
  start({ beatMs: 20 });
  const reader = open(await signIn(await createPerson(), 1));
  await expect.poll(() => reader.next()).toEqual({ kind: "session_ended" });
});

test("keeps no stream open for a session that ended while it was opening", async () => {
  start();
  const signedIn = await signIn(await createPerson());
  await deleteSession(partner().db, signedIn.sessionIdHash);
  const reader = open(signedIn);
  await expect.poll(() => reader.next()).toEqual({ kind: "session_ended" });
});

test("ends the streams of a person whose role has changed", async () => {
  start();
  const person = await createPerson({ role: "operator" });
  const reader = await openReady(await signIn(person));
  await partner().pool.query("update people set role = 'seller' where id = $1", [person.id]);
  expect(await reader.next()).toEqual({ kind: "session_ended" });
});

test("ends a stream whose client doesn't read, and limits its buffer", async () => {
  start({ unreadMax: 4, personMax: 2 });
  const signedIn = await signIn(await createPerson());
  const [idle, reader] = [await openReady(signedIn), await openReady(signedIn)];
  for (let at = 0; at < 6; at++) {
    await announce(signedIn.person.id, "routines", String(at));
    expect(await reader.next()).toEqual({ kind: "changed", topic: "routines", id: String(at) });
  }
  // Its slot is free again.
  expect(streams.open(signedIn).kind).toBe("open");
  const unread: unknown[] = [];
  for (let event = await idle.next(); event; event = await idle.next()) unread.push(event);
  expect(unread).toHaveLength(4);
});

test("sends a page only the changes since it was rendered", async () => {
  start();
  const [person, otherPerson] = [await createPerson(), await createPerson()];
  const signedIn = await signIn(person);
  const reader = await openReady(signedIn);
  await announce(person.id, "routines", "before");
  expect(await reader.next()).toMatchObject({ id: "before" });
  const since = streams.position();
  const unchanged = open(signedIn, since);
  expect(await unchanged.next()).toEqual({ kind: "ready", isSince: true });

  await announce(otherPerson.id, "user");
  await announce(person.id, "routines", "after");
  expect(await reader.next()).toMatchObject({ id: "after" });
  const changed = open(signedIn, since);
  expect(await changed.next()).toEqual({ kind: "ready", isSince: true });
  expect(await changed.next()).toEqual({ kind: "changed", topic: "routines", id: "after" });
});

test("a page reads everything again when its missed changes are unknown", async () => {
  start({ recentMax: 2 });
  expect(streams.position(), "before anyone listens").toBeUndefined();
  const person = await createPerson();
  const signedIn = await signIn(person);
  const reader = await openReady(signedIn);
  const readyFor = (since: string | undefined) => open(signedIn, since).next();
  const since = streams.position();
  for (const id of ["1", "2", "3"]) {
    if (id === "3") expect(await readyFor(since), "the oldest that is kept").toEqual({ kind: "ready", isSince: true });
    await announce(person.id, "routines", id);
    expect(await reader.next()).toMatchObject({ id });
  }
  expect(await readyFor(since), "longer ago than is kept").toEqual({ kind: "ready" });
  const position = streams.position() ?? "";
  expect(await readyFor(position)).toEqual({ kind: "ready", isSince: true });
  expect(await readyFor(randomUUID()), "another process's").toEqual({ kind: "ready" });
  await endListening();
  expect(await reader.next()).toEqual({ kind: "lost" });
  expect(streams.position()).toBeUndefined();
  expect(await reader.next()).toEqual({ kind: "ready" });
  expect(await readyFor(position), "received by another connection").toEqual({ kind: "ready" });
});

test("announces when changes may be missed, and when delivery resumes", async () => {
  start();
  const person = await createPerson();
  const reader = await openReady(await signIn(person));
  await endListening();
  expect(await reader.next()).toEqual({ kind: "lost" });
  await announce(person.id, "user");
  expect(await reader.next()).toEqual({ kind: "ready" });
  await announce(person.id, "routines");
  expect(await reader.next()).toEqual({ kind: "changed", topic: "routines" });
});

test("sends one ready event when the connection is lost and reestablished during the session's lookup", async () => {
  start();
  const signedIn = await signIn(await createPerson());
  await openReady(signedIn);
  const locker = await partner().pool.connect();
  await locker.query("begin; lock table sessions in access exclusive mode");
  const reader = open(signedIn);
  await endListening();
  expect([await reader.next(), await reader.next()]).toEqual([{ kind: "lost" }, { kind: "ready" }]);
  await locker.query("commit");
  locker.release();
  await announce(signedIn.person.id, "user");
  expect(await reader.next()).toEqual({ kind: "changed", topic: "user" });
});

describe("on a connection that has gone silent without closing", () => {
  let link: CuttableLink;
  const { databaseDirectUrl } = partner().config;
  beforeEach(async () => {
    const url = new URL(databaseDirectUrl);
    link = await openLink(Number(url.port || 5432));
    url.host = `127.0.0.1:${link.port}`;
    Object.assign(partner().config, { databaseDirectUrl: url.href });
  });
  afterEach(async () => {
    Object.assign(partner().config, { databaseDirectUrl });
    await link.stop();
  });

  test("announces that changes may be missed, and reconnects", async () => {
    start({ heartbeatMs: 500 });
    const person = await createPerson();
    const reader = await openReady(await signIn(person));
    link.cut();
    await announce(person.id, "user");
    expect(await reader.next()).toEqual({ kind: "lost" });
    link.mend();
    expect(await reader.next()).toEqual({ kind: "ready" });
    await announce(person.id, "routines");
    expect(await reader.next()).toEqual({ kind: "changed", topic: "routines" });
  });

  test("stops anyway", async () => {
    start();
    await openReady(await signIn(await createPerson()));
    link.cut();
    await streams.stop();
  });
});

test("refuses more streams than a person, or a process, may have, until one ends", async () => {
  start({ personMax: 2, processMax: 3 });
  const [person, otherPerson] = [await signIn(await createPerson()), await signIn(await createPerson())];
  const first = open(person);
  open(person);
  expect(streams.open(person).kind).toBe("too_many_of_person");
  open(otherPerson);
  expect(streams.open(otherPerson).kind).toBe("too_many");
  await first.leave();
  expect(streams.open(person).kind).toBe("open");
});

test("ends all streams on stop, and opens no new ones", async () => {
  start();
  const signedIn = await signIn(await createPerson());
  const reader = await openReady(signedIn);
  await streams.stop();
  expect(await reader.next()).toBeUndefined();
  expect(streams.open(signedIn).kind).toBe("stopping");
});
