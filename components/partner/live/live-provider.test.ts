import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Topic } from "#lib/partner/live/live-event.ts";
import type { StreamEvent } from "./live-connection.ts";
import { createRefetcher } from "./live-provider.tsx";
import { fetchAsPage, reloadWhenIdle, trackSubmission } from "./page-session.ts";

describe("an event", () => {
  const queries: Record<string, { topics?: readonly Topic[]; id?: string } | undefined> = {
    list: { topics: ["routines"] },
    one: { topics: ["routines"], id: "1" },
    two: { topics: ["routines"], id: "2" },
    dashboard: { topics: ["user", "onboarding"] },
    unrelated: undefined,
  };

  /** The queries that are refetched. */
  async function refetchedAfter(event: StreamEvent): Promise<string[]> {
    const client = new QueryClient();
    for (const [key, meta] of Object.entries(queries)) {
      client.setQueryData([key], {});
      const query = client.getQueryCache().find({ queryKey: [key] });
      query?.setOptions({ ...query.options, ...(meta && { meta }) });
    }
    await createRefetcher(client)(event);
    const stale = client.getQueryCache().findAll({ stale: true, predicate: ({ state }) => state.isInvalidated });
    return stale.map(({ queryKey }) => String(queryKey[0]));
  }

  const all = ["list", "one", "two", "dashboard"];

  test.each<[string, StreamEvent, string[]]>([
    ["one payment", { kind: "changed", topic: "routines", id: "1" }, ["list", "one"]],
    ["payments", { kind: "changed", topic: "routines" }, ["list", "one", "two"]],
    ["the person's record", { kind: "changed", topic: "user" }, ["dashboard"]],
    ["a topic without a query", { kind: "changed", topic: "inspector" }, []],
    ["a new stream, which may have missed changes", { kind: "ready" }, all],
    ["a stream that replays missed changes", { kind: "ready", isSince: true }, []],
    ["a refused stream, so that a signed-out page notices", { kind: "refused" }, all],
    ["a lost stream, whose pages poll", { kind: "lost" }, []],
  ])("about %s refetches only the queries it affects", async (_what, event, expected) => {
    expect(await refetchedAfter(event)).toEqual(expected);
  });

  test("during a refetch causes one more, shared by all such events", async () => {
    const reads: number[] = [];
    let finish = () => {};
    const client = new QueryClient();
    vi.spyOn(client, "invalidateQueries").mockImplementation(() => {
      reads.push(reads.length);
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    const refetch = createRefetcher(client);
    const done = refetch({ kind: "ready" });
    await refetch({ kind: "changed", topic: "user" });
    await refetch({ kind: "changed", topic: "routines" });
    expect(reads).toHaveLength(1);
    finish();
    await vi.waitFor(() => expect(reads).toHaveLength(2));
    finish();
    await done;
    const later = refetch({ kind: "ready" });
    expect(reads).toHaveLength(3);
    finish();
    await later;
  });
});

describe("a signed-out page", () => {
  const reload = vi.fn();
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal("window", { location: { reload } });
    reload.mockClear();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  test("reloads ten seconds after the last response to its forms", () => {
    const [endFirst, endSecond] = [trackSubmission(), trackSubmission()];
    reloadWhenIdle();
    vi.advanceTimersByTime(6000);
    endFirst();
    vi.advanceTimersByTime(6000);
    expect(reload).not.toHaveBeenCalled();
    endSecond();
    vi.advanceTimersByTime(9000);
    expect(reload).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);
    expect(reload).toHaveBeenCalledTimes(1);
  });

  test("doesn't reload if the person navigates away first", () => {
    const stay = reloadWhenIdle();
    vi.advanceTimersByTime(2900);
    stay();
    vi.advanceTimersByTime(60_000);
    expect(reload).not.toHaveBeenCalled();
  });
});

test("a page's requests name its person, so they never read another person's data", async () => {
  const fetched = vi.fn(async () => new Response());
  vi.stubGlobal("fetch", fetched);
  vi.stubGlobal("document", { documentElement: { dataset: { person: "p-1" } } });
  await fetchAsPage("/dashboard/state");
  expect(fetched).toHaveBeenCalledWith("/dashboard/state", { headers: { "page-person": "p-1" }, cache: "no-store" });
  vi.unstubAllGlobals();
});
