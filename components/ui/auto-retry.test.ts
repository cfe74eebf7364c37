import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { retryOnceReady } from "./auto-retry.tsx";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { hidden: false });
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("removeEventListener", () => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test("retries once the server is ready", async () => {
  vi.stubGlobal("fetch", async () => new Response());
  const retry = vi.fn();
  const stop = retryOnceReady(retry);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(retry).toHaveBeenCalled();
  stop();
});

test("doesn't retry if stopped while the server is being asked", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const fetch = vi.fn(() => promise);
  vi.stubGlobal("fetch", fetch);
  const retry = vi.fn();
  const stop = retryOnceReady(retry);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetch).toHaveBeenCalledOnce();
  stop();
  resolve(new Response());
  await vi.advanceTimersByTimeAsync(600_000);
  expect(fetch).toHaveBeenCalledOnce();
  expect(retry).not.toHaveBeenCalled();
});

test("asks again when a response never arrives", async () => {
  // Fake timers don't replace AbortSignal.timeout.
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const timeout = new AbortController();
    setTimeout(() => timeout.abort(), ms);
    return timeout.signal;
  });
  const fetch = vi.fn(
    (_address: string, { signal }: RequestInit) =>
      new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
  );
  vi.stubGlobal("fetch", fetch);
  const stop = retryOnceReady(() => undefined);
  await vi.advanceTimersByTimeAsync(300_000);
  expect(fetch.mock.calls.length).toBeGreaterThan(1);
  stop();
});
