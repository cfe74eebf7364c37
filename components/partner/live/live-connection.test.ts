import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { StreamEvent } from "./live-connection.ts";

// Fakes the browser's EventSource and the page.

class FakeSource extends EventTarget {
  static readonly CLOSED = 2;
  static latest: FakeSource;
  readyState = 0;
  onopen = () => {};
  onerror = () => {};
  onmessage: (message: { data: string }) => void = () => {};
  readonly url: string;
  constructor(url: string) {
    super();
    this.url = url;
    FakeSource.latest = this;
  }
  close(): void {
    this.readyState = FakeSource.CLOSED;
  }
}

let events: StreamEvent["kind"][];
let stop: () => void;
let isLive: () => boolean;
beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", FakeSource);
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal(
    "document",
    Object.assign(new EventTarget(), {
      visibilityState: "visible",
      documentElement: { dataset: { position: "a.1.7" } },
    }),
  );
  events = [];
  // Each tab has its own copy of the module.
  vi.resetModules();
  const { isLive: isLiveNow, listenLive } = await import("./live-connection.ts");
  isLive = isLiveNow;
  stop = listenLive({ onLive: () => {}, onEvent: ({ kind }) => events.push(kind) });
});
afterEach(() => {
  stop();
  vi.runAllTimers();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("a stream that can't be opened counts as refused, so the page falls back to polling", () => {
  FakeSource.latest.readyState = FakeSource.CLOSED;
  FakeSource.latest.onerror();
  expect(events).toEqual(["refused"]);
});

test("a stream closed by the browser on leaving the page doesn't count as refused", () => {
  FakeSource.latest.onopen();
  FakeSource.latest.onmessage({ data: '{"kind":"ready"}' });
  FakeSource.latest.readyState = FakeSource.CLOSED;
  FakeSource.latest.onerror();
  expect(events).toEqual(["ready"]);
});

test("reconnects with the document's position until the stream was ready once", () => {
  const urls = [FakeSource.latest.url];
  for (const isReady of [false, true]) {
    if (isReady) FakeSource.latest.onmessage({ data: '{"kind":"ready","isSince":true}' });
    FakeSource.latest.onerror();
    vi.runOnlyPendingTimers();
    urls.push(FakeSource.latest.url);
  }
  expect(urls).toEqual(["/live?since=a.1.7", "/live?since=a.1.7", "/live"]);
});

function receive(event: StreamEvent): void {
  FakeSource.latest.onmessage({ data: JSON.stringify(event) });
}

test("a tab is live only while it can't miss changes", () => {
  const states = [isLive()];
  for (const kind of ["beat", "ready", "beat", "lost", "ready", "session_ended"] as const) {
    receive({ kind });
    states.push(isLive());
  }
  expect(states).toEqual([false, false, true, true, false, true, false]);
  expect(FakeSource.latest.readyState).toBe(FakeSource.CLOSED);
  expect(events).toEqual(["ready", "lost", "ready", "session_ended"]);
});

test("reopens a stream that misses two heartbeats", () => {
  const first = FakeSource.latest;
  receive({ kind: "ready" });
  vi.advanceTimersByTime(39_000);
  receive({ kind: "beat" });
  vi.advanceTimersByTime(39_000);
  expect([FakeSource.latest === first, isLive()]).toEqual([true, true]);
  vi.advanceTimersByTime(1000);
  expect([FakeSource.latest === first, first.readyState, isLive()]).toEqual([false, FakeSource.CLOSED, false]);
});

test("retries a failing server with backoff, and at once when the tab is back online", () => {
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const pauses: number[] = [];
  for (let failure = 0; failure < 8; failure++) {
    const failed = FakeSource.latest;
    failed.readyState = FakeSource.CLOSED;
    failed.onerror();
    const failedAt = Date.now();
    while (FakeSource.latest === failed) vi.advanceTimersByTime(100);
    pauses.push(Date.now() - failedAt);
  }
  expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  // Only the first failure makes pages switch to polling.
  expect(events.filter((kind) => kind === "refused")).toHaveLength(1);
  const failed = FakeSource.latest;
  failed.onerror();
  window.dispatchEvent(new Event("online"));
  expect(FakeSource.latest).not.toBe(failed);
  vi.restoreAllMocks();
});

test("closes the stream of a hidden tab, and opens one when it's shown", () => {
  const [first, page] = [FakeSource.latest, document as unknown as { visibilityState: string } & EventTarget];
  receive({ kind: "ready" });
  page.visibilityState = "hidden";
  page.dispatchEvent(new Event("visibilitychange"));
  expect([first.readyState, isLive()]).toEqual([FakeSource.CLOSED, false]);
  vi.advanceTimersByTime(60_000);
  expect(FakeSource.latest).toBe(first);
  page.visibilityState = "visible";
  page.dispatchEvent(new Event("visibilitychange"));
  expect(FakeSource.latest).not.toBe(first);
});

test("a page opened within a second reuses the stream; otherwise it's closed", async () => {
  const { listenLive } = await import("./live-connection.ts");
  const first = FakeSource.latest;
  stop();
  vi.advanceTimersByTime(900);
  const stopSecond = listenLive({ onLive: () => {}, onEvent: () => {} });
  vi.advanceTimersByTime(5000);
  expect([FakeSource.latest === first, first.readyState]).toEqual([true, 0]);
  stopSecond();
  vi.advanceTimersByTime(1000);
  expect(first.readyState).toBe(FakeSource.CLOSED);
  window.dispatchEvent(new Event("online"));
  vi.advanceTimersByTime(60_000);
  expect(FakeSource.latest).toBe(first);
});
