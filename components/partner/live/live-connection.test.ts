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
  const { listenLive } = await import("./live-connection.ts");
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
