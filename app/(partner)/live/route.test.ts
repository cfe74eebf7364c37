import { afterAll, expect, test, vi } from "vitest";
import { liveStreams } from "#lib/partner/live/live-streams.ts";
import { openSession } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { Browser } from "#lib/partner/testing/browser.ts";
import { readLive } from "#lib/partner/testing/live-reader.ts";
import { createPerson } from "#lib/partner/testing/people.ts";
import { GET } from "./route.ts";

vi.mock("next/headers", async () => (await import("#lib/partner/testing/browser.ts")).nextHeaders);

afterAll(() => liveStreams().stop());

test("each person can have eight open streams", async () => {
  const browser = new Browser();
  const person = await createPerson();
  await browser.within(() => openSession(partner(), person));
  const open = () => browser.get(GET, "/live");
  const streams = [];
  for (let page = 0; page < 8; page++) streams.push(await open());
  expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
  const ninth = await open();
  expect([ninth.status, ninth.headers.get("retry-after"), await ninth.text()]).toEqual([
    429,
    "30",
    expect.stringMatching(/too many pages open/),
  ]);
  const other = new Browser();
  await other.within(async () => openSession(partner(), await createPerson()));
  expect((await other.get(GET, "/live")).status).toBe(200);
  const [closed] = streams;
  if (closed?.body) await readLive(closed.body).leave();
  expect((await open()).status).toBe(200);
  // Proxies must neither cache nor buffer it.
  expect(closed?.headers.get("content-type")).toBe("text/event-stream");
  expect(closed?.headers.get("x-accel-buffering")).toBe("no");
});

test("a stream requires a session and a GET request", async () => {
  const signedOut = await new Browser().get(GET, "/live");
  expect([signedOut.status, signedOut.headers.get("cache-control")]).toEqual([401, "no-store"]);
  const head = await new Browser().within(() => GET(new Request("http://localhost/live", { method: "HEAD" })));
  expect([head.status, head.headers.get("allow")]).toEqual([405, "GET"]);
});

test("a stopping process refuses streams with 503 and a retry-after", async () => {
  const browser = new Browser();
  await browser.within(async () => openSession(partner(), await createPerson()));
  await liveStreams().stop();
  const refused = await browser.get(GET, "/live");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
});
