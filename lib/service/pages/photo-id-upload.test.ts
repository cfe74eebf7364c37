import { eq } from "drizzle-orm";
import { describe, expect, onTestFinished, test } from "vitest";
import { OutcomeUnknownError } from "../../kit/transaction.ts";
import type { VisitKey } from "../operations/visits/read-visit.ts";
import { readVisit } from "../operations/visits/read-visit.ts";
import { chooseProviders } from "../providers.ts";
import { sandboxProviders } from "../sandbox/providers.ts";
import { database, servicePool } from "../storage/database.ts";
import { identitySubmissions, userIntents } from "../storage/schema.ts";
import { createTestClient } from "../testing/clients.ts";
import { holdRows } from "../testing/hold-rows.ts";
import { insertTestIntent } from "../testing/people.ts";
import { openTestVisit } from "../testing/visits.ts";
import { answerPhotoIdUpload, uploadsMax } from "./photo-id-upload.ts";

const mebibyte = 1024 * 1024;
const jpeg = [0xff, 0xd8, 0xff, 0xe0];

describe("POST /login/oauth/authorize/{visit}/document", () => {
  test("303: to the visit's page, which continues to consent; the file name does not matter", async () => {
    const { key, countSubmissions } = await arrive("document");
    const response = await post(key, { photo: Uint8Array.from(jpeg), name: "holiday.html" });
    expect([response.status, response.headers.get("location")]).toEqual([303, `/login/oauth/authorize/${key.visitId}`]);
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect((await readVisit(key)).kind).toBe("consent");
    expect(await countSubmissions()).toBe(1);
  });

  test("303: five mebibytes are accepted, one byte more is not", async () => {
    const { key, countSubmissions } = await arrive("document");
    await post(key, { photo: photoOf(5 * mebibyte + 1) });
    expect(await readVisit(key)).toMatchObject({ kind: "document", problems: ["photo_too_large"] });
    expect(await countSubmissions()).toBe(0);
    await post(key, { photo: photoOf(5 * mebibyte) });
    expect((await readVisit(key)).kind).toBe("consent");
  });

  test.each([
    ["far too large", String(6 * mebibyte)],
    ["of unknown length", undefined],
  ])("303: a body %s is refused unread", async (_which, length) => {
    const { key } = await arrive("document");
    const request = requestOf(key, { photo: Uint8Array.from(jpeg), length });
    expect((await answerPhotoIdUpload(request, key)).status).toBe(303);
    expect(request.bodyUsed).toBe(false);
    expect(await readVisit(key)).toMatchObject({ problems: ["photo_too_large"] });
  });

  test("303: without a file, the page asks the person to choose one", async () => {
    const { key } = await arrive("document");
    const body = new FormData();
    body.set("photo", "");
    const headers = { ...honest, "content-length": "200" };
    await answerPhotoIdUpload(new Request(addressOf(key), { method: "POST", headers, body }), key);
    expect(await readVisit(key)).toMatchObject({ kind: "document", problems: ["photo_missing"] });
  });

  test("400: an upload that was cut off says so, and isn't recorded as a missing photo", async () => {
    const { key } = await arrive("document");
    const whole = requestOf(key, { photo: Uint8Array.from(jpeg) });
    const body = (await whole.bytes()).subarray(0, -20);
    const response = await answerPhotoIdUpload(
      new Request(whole.url, { method: "POST", headers: whole.headers, body }),
      key,
    );
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("The upload was interrupted, so your photo wasn’t saved.");
    expect(await readVisit(key)).toMatchObject({ kind: "document", problems: [] });
  });

  test("303: nothing is read for a visit that awaits no photo ID, or with a wrong secret", async () => {
    const { key } = await arrive("retry");
    const otherVisit = (await arrive("document")).key;
    for (const wrong of [key, { ...otherVisit, visitSecret: key.visitSecret }]) {
      const request = requestOf(wrong, { photo: Uint8Array.from(jpeg) });
      expect((await answerPhotoIdUpload(request, wrong)).status).toBe(303);
      expect(request.bodyUsed).toBe(false);
    }
    expect((await readVisit(otherVisit)).kind).toBe("document");
  });

  test.each([
    ["another origin", "https://attacker.example"],
    ["a hidden origin", "null"],
    ["no origin", undefined],
  ])("403: a form of %s changes nothing", async (_which, origin) => {
    const { key, countSubmissions } = await arrive("document");
    const request = requestOf(key, { photo: Uint8Array.from(jpeg) });
    if (origin) request.headers.set("origin", origin);
    else request.headers.delete("origin");
    expect((await answerPhotoIdUpload(request, key)).status).toBe(403);
    expect(await countSubmissions()).toBe(0);
  });

  test("503: one photo per visit and a few per process are read at a time, and a retry works", async () => {
    const people = await Promise.all(Array.from({ length: uploadsMax + 1 }, () => arrive("document")));
    const [one, last] = [people[0], people[uploadsMax]];
    if (!one || !last) throw new Error("There are people.");
    const first = slowUpload(one.key);
    await first.isRead;
    await expectBusy(post(one.key, { photo: photoOf(jpeg.length) }));
    const others = people.slice(1, uploadsMax).map(({ key }) => slowUpload(key));
    await Promise.all(others.map(({ isRead }) => isRead));
    const waiting = requestOf(last.key, { photo: Uint8Array.from(jpeg) });
    await expectBusy(answerPhotoIdUpload(waiting, last.key));
    expect(waiting.bodyUsed).toBe(false);

    for (const upload of [first, ...others]) upload.finish();
    for (const { answer } of [first, ...others]) expect((await answer).status).toBe(303);
    expect((await post(last.key, { photo: Uint8Array.from(jpeg) })).status).toBe(303);
    for (const { countSubmissions } of people) expect(await countSubmissions()).toBe(1);
  });

  test("503 or 303: of eighty concurrent photos for one visit, one is stored, and none holds a connection while encrypting", async () => {
    const { key, countSubmissions } = await arrive("document");
    const answers = await Promise.all(Array.from({ length: 80 }, () => post(key, { photo: photoOf(5 * mebibyte) })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303, 503]));
    expect(await countSubmissions()).toBe(1);
    expect((await readVisit(key)).kind).toBe("consent");
  });

  test("503: when the database goes away, and a retry works", async () => {
    const { key, countSubmissions } = await arrive("document");
    const held = await holdRows("lock table identity_submissions in access exclusive mode", []);
    const answering = post(key, { photo: Uint8Array.from(jpeg) });
    await held.waiters(1);
    await servicePool().query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    await expectBusy(answering);
    await held.release();
    expect((await post(key, { photo: Uint8Array.from(jpeg) })).status).toBe(303);
    expect(await countSubmissions()).toBe(1);
  });

  test("503: when the photo ID provider fails, and a retry works", async () => {
    const { key, countSubmissions } = await arrive("document");
    const put = async () => Promise.reject(new Error("no bucket"));
    onTestFinished(() => chooseProviders(sandboxProviders));
    chooseProviders({ ...sandboxProviders, photoIds: { put, get: async () => undefined, delete: async () => {} } });
    await expectBusy(post(key, { photo: Uint8Array.from(jpeg) }));
    chooseProviders(sandboxProviders);
    expect((await post(key, { photo: Uint8Array.from(jpeg) })).status).toBe(303);
    expect(await countSubmissions()).toBe(1);
  });

  test("503: with an unknown outcome, the page doesn't say whether the photo was saved, and leads to the visit", async () => {
    const { key, countSubmissions } = await arrive("document");
    onTestFinished(() => chooseProviders(sandboxProviders));
    const watch = () => {
      throw new OutcomeUnknownError(new Error("Connection terminated"));
    };
    chooseProviders({ ...sandboxProviders, watch });
    const response = await post(key, { photo: Uint8Array.from(jpeg) });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    const html = await response.text();
    expect(html).not.toContain("wasn’t saved");
    expect(html).toContain(`href="/login/oauth/authorize/${key.visitId}"`);
    expect(await countSubmissions()).toBe(1);
  });

  test("404: at the other app's gateway", async () => {
    const { key } = await arrive("document");
    const request = requestOf(key, { photo: Uint8Array.from(jpeg) });
    request.headers.set("x-gangway-app", "partner");
    expect((await answerPhotoIdUpload(request, key)).status).toBe(404);
    expect((await readVisit(key)).kind).toBe("document");
  });
});

const honest = { origin: "http://127.0.0.1:4000", "x-gangway-app": "service" };

type Upload = { photo: Uint8Array<ArrayBuffer>; name?: string; length?: string | undefined };

function requestOf(key: VisitKey, { photo, name = "photo.jpg", ...rest }: Upload): Request {
  const body = new FormData();
  body.set("photo", new File([photo], name, { type: "text/html" }));
  const length = "length" in rest ? rest.length : String(photo.length + 300);
  const headers = { ...honest, ...(length && { "content-length": length }) };
  return new Request(addressOf(key), { method: "POST", headers, body });
}

function post(key: VisitKey, upload: Upload): Promise<Response> {
  return answerPhotoIdUpload(requestOf(key, upload), key);
}

/** An upload whose last byte is not sent before `finish`. */
function slowUpload(key: VisitKey) {
  const whole = requestOf(key, { photo: Uint8Array.from(jpeg) });
  const started = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        started.resolve();
        await finished.promise;
        controller.enqueue(await whole.bytes());
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const init: RequestInit & { duplex: "half" } = { method: "POST", headers: whole.headers, body, duplex: "half" };
  const request = new Request(whole.url, init);
  return { answer: answerPhotoIdUpload(request, key), isRead: started.promise, finish: () => finished.resolve() };
}

async function expectBusy(answering: Promise<Response>): Promise<void> {
  const answer = await answering;
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(answer.headers.get("content-type")).toContain("text/html");
  expect(await answer.text()).toMatch(/<h1>.*<\/h1>[\s\S]*href="\/login\/oauth\/authorize\//);
}

function addressOf({ visitId }: VisitKey): string {
  return `${honest.origin}/login/oauth/authorize/${visitId}/document`;
}

function photoOf(bytes: number): Uint8Array<ArrayBuffer> {
  const photo = new Uint8Array(bytes);
  photo.set(jpeg);
  return photo;
}

async function arrive(status: "retry" | "document") {
  const client = await createTestClient();
  const person = await insertTestIntent(client, { status });
  const key = await openTestVisit(client, person);
  const stored = database()
    .select({ id: identitySubmissions.id })
    .from(identitySubmissions)
    .innerJoin(userIntents, eq(userIntents.userId, identitySubmissions.userId))
    .where(eq(userIntents.id, person.userIntentId ?? ""));
  return { key, countSubmissions: async () => (await stored).length };
}
