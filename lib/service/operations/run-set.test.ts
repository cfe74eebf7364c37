import { afterEach, describe, expect, test, vi } from "vitest";
import { type SetOptions, serveSets, untilSettled } from "./run-set.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

test.each(["busy", "idempotency_in_progress"])("%s is retried until it's settled", async (kind) => {
  const outcomes = [{ kind }, { kind }, { kind: "done" }];
  expect(await untilSettled(async () => outcomes.shift() ?? { kind: "asked again" })).toEqual({ kind: "done" });
});

test("returns busy after 2 seconds of retries", async () => {
  let nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  let attempts = 0;
  const attempt = async () => {
    attempts++;
    nowMs += 500;
    return { kind: "busy" };
  };
  expect(await untilSettled(attempt)).toEqual({ kind: "busy" });
  expect(attempts).toBe(4);
});

describe("a set of requests", () => {
  type Outcome = { kind: string };
  const done: Outcome = { kind: "done" };
  const databaseError = (code: string) => Object.assign(new Error(code), { code });
  const outcomesOf = async (served: Promise<Promise<Outcome>[]>) =>
    (await Promise.allSettled(await served)).map((one) =>
      one.status === "fulfilled" ? one.value.kind : (one.reason as Error).message,
    );

  test("loses only the request that the database rejects", async () => {
    const serve = serveSets<number, Outcome>({
      attempt: async (requests) => {
        if (requests.includes(3)) throw databaseError("23514");
        return requests.map(() => done);
      },
      judge: async (requests) => requests.map(() => undefined),
    });
    expect(await outcomesOf(serve([1, 2, 3, 4, 5]))).toEqual(["done", "done", "23514", "done", "done"]);
  });

  test("is answered as a whole when the statement fails, and no request waits forever", async () => {
    const serve = serveSets<number, Outcome>({
      attempt: () => Promise.reject(databaseError("57P01")),
      judge: async (requests) => requests.map(() => undefined),
    });
    expect(await outcomesOf(serve([1, 2, 3]))).toEqual(["57P01", "57P01", "57P01"]);
  });

  test("keeps the other requests' successes when judging the skipped ones fails", async () => {
    const serve = serveSets<number, Outcome>({
      attempt: async (requests) => requests.map((request) => (request % 2 === 0 ? "crowded" : done)),
      judge: () => Promise.reject(databaseError("57P01")),
    });
    expect(await outcomesOf(serve([1, 2, 3, 4]))).toEqual(["done", "57P01", "done", "57P01"]);
  });

  test("refuses skipped requests by their reason, returns busy for held ones, and retries the rest", async () => {
    const attempts: number[][] = [];
    const serve = serveSets<number, Outcome>({
      attempt: async (requests) => {
        attempts.push(requests);
        return requests.map((request) => {
          if (request === 2) return "held";
          return requests.length > 2 || request === 1 ? "crowded" : done;
        });
      },
      judge: async (requests) => requests.map((request) => (request === 1 ? { kind: "refused" } : undefined)),
    });
    expect(await outcomesOf(serve([1, 2, 3, 4, 5]))).toEqual(["refused", "busy", "done", "done", "done"]);
    expect(attempts).toEqual([[1, 2, 3, 4, 5], [3, 4, 5], [3, 4], [5]]);
  });

  test("waits for locks once, then skips locked rows for a second; other failures are not repeated", async () => {
    let nowMs = 1000;
    vi.spyOn(performance, "now").mockImplementation(() => nowMs);
    const tried: SetOptions[] = [];
    let fails: string | undefined;
    const serve = serveSets<number, Outcome>({
      attempt: async (requests, options) => {
        tried.push(options);
        if (fails !== undefined && !options.skipLocked) throw databaseError(fails);
        return requests.map(() => done);
      },
      judge: async (requests) => requests.map(() => undefined),
    });
    const triedFor = async () => {
      tried.length = 0;
      const [kind] = await outcomesOf(serve([1]));
      return [kind, ...tried.map(({ skipLocked }) => skipLocked)];
    };
    fails = "57P01";
    expect(await triedFor()).toEqual(["57P01", false]);
    fails = "55P03";
    expect(await triedFor()).toEqual(["done", false, true]);
    expect(tried.map(({ lockTimeoutMs }) => lockTimeoutMs)).toEqual([250, 2000]);
    nowMs += 999;
    expect(await triedFor()).toEqual(["done", true]);
    nowMs += 1;
    expect(await triedFor()).toEqual(["done", false, true]);
  });
});
