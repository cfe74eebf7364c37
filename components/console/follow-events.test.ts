import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { limits } from "#lib/contract/limits.ts";
import type { SandboxEvent } from "#lib/contract/sandbox-events.ts";
import { append, followEvents } from "./use-events.ts";

class Stream extends EventTarget {
  static readonly CLOSED = 2;
  static opened: Stream[] = [];
  readyState = 0;
  readonly address: string;
  constructor(address: string) {
    super();
    this.address = address;
    Stream.opened.push(this);
  }
  close() {
    this.readyState = Stream.CLOSED;
  }
  send(id: string) {
    this.dispatchEvent(Object.assign(new Event("event"), { data: JSON.stringify({ id }), lastEventId: id }));
  }
  fail(readyState: number) {
    this.readyState = readyState;
    this.dispatchEvent(new Event("error"));
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", Stream);
  Stream.opened = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function follow(clientId?: string) {
  const seen: unknown[] = [];
  const follower = { event: ({ id }: { id: string }) => seen.push(id), live: (isLive: boolean) => seen.push(isLive) };
  const stop = followEvents("7", follower, clientId);
  return { seen, stop };
}

test("reopens a stream after a proxy error, from the last event received", () => {
  const { seen } = follow();
  const [first] = Stream.opened;
  expect(first?.address).toBe("/console/events/stream?after=7");
  first?.dispatchEvent(new Event("open"));
  first?.send("8");
  first?.send("9");
  first?.fail(Stream.CLOSED);
  vi.advanceTimersByTime(5_000);
  expect(Stream.opened.map(({ address }) => address).slice(1)).toEqual(["/console/events/stream?after=9"]);
  Stream.opened[1]?.send("10");
  expect(seen).toEqual([true, "8", "9", false, "10"]);
});

test("names the page's client each time, because another one may have signed in", () => {
  follow("shop & co");
  Stream.opened[0]?.fail(Stream.CLOSED);
  vi.advanceTimersByTime(5_000);
  const address = "/console/events/stream?after=7&client=shop+%26+co";
  expect(Stream.opened.map((stream) => stream.address)).toEqual([address, address]);
});

test("leaves reconnecting to the browser", () => {
  const { seen } = follow();
  Stream.opened[0]?.fail(0);
  vi.advanceTimersByTime(60_000);
  expect(Stream.opened).toHaveLength(1);
  expect(seen).toEqual([false]);
});

test("doesn't reopen after stop", () => {
  const { stop } = follow();
  Stream.opened[0]?.fail(Stream.CLOSED);
  stop();
  vi.advanceTimersByTime(60_000);
  expect(Stream.opened).toHaveLength(1);
});

test.each([401, 409])("reports a %i behind a closed stream, and doesn't reopen it", async (status) => {
  const fetch = vi.fn(async () => new Response(null, { status }));
  vi.stubGlobal("fetch", fetch);
  const refused = vi.fn();
  followEvents("7", { event: () => undefined, live: () => undefined, refused }, "shop");
  Stream.opened[0]?.fail(Stream.CLOSED);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetch).toHaveBeenCalledExactlyOnceWith("/console/events?limit=1&client=shop", expect.anything());
  expect(refused).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ status }));
  expect(Stream.opened).toHaveLength(1);
});

test.each([
  ["the console answers", async () => Response.json({ events: [] })],
  ["a proxy refuses", async () => new Response(null, { status: 502 })],
  ["the connection breaks", async () => Promise.reject(new TypeError("fetch failed"))],
])("reopens a closed stream if %s", async (_, fetch) => {
  vi.stubGlobal("fetch", fetch);
  const refused = vi.fn();
  followEvents("7", { event: () => undefined, live: () => undefined, refused }, "shop");
  Stream.opened[0]?.fail(Stream.CLOSED);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(Stream.opened).toHaveLength(2);
  expect(refused).not.toHaveBeenCalled();
});

test("neither reports nor reopens after a stop during the request", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  vi.stubGlobal("fetch", () => promise);
  const refused = vi.fn();
  const stop = followEvents("7", { event: () => undefined, live: () => undefined, refused });
  Stream.opened[0]?.fail(Stream.CLOSED);
  await vi.advanceTimersByTimeAsync(5_000);
  stop();
  resolve(new Response(null, { status: 401 }));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(refused).not.toHaveBeenCalled();
  expect(Stream.opened).toHaveLength(1);
});

const eventsOf = (...ids: string[]) => ids.map((id) => ({ id }) as SandboxEvent);

test("events that a restored record has lost make way for the new ones with their ids", () => {
  const after = (held: SandboxEvent[], added: SandboxEvent[]) => append({ events: held, hasEarlier: false }, added);
  expect(after(eventsOf("7", "8"), eventsOf("9"))).toEqual({ events: eventsOf("7", "8", "9"), hasEarlier: false });
  expect(after(eventsOf("7", "8", "9", "10"), eventsOf("8", "9")).events).toEqual(eventsOf("7", "8", "9"));
});

test("an open timeline keeps as many events as the service, and the dropped ones count as earlier", () => {
  const max = limits.storedEventsMax;
  let held = { events: eventsOf("1"), hasEarlier: false };
  let longest = 0;
  for (let id = 2; id <= 3 * max; id += 1000) {
    held = append(held, eventsOf(...Array.from({ length: 1000 }, (_, index) => String(id + index))));
    longest = Math.max(longest, held.events.length);
  }
  expect(held.hasEarlier).toBe(true);
  expect(held.events.length).toBeGreaterThanOrEqual(max);
  expect(longest).toBeLessThanOrEqual(max * 1.05);
  expect(held.events.at(-1)?.id).toBe(String(3 * max + 1));
});
