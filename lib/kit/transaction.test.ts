import type pg from "pg";
import { afterEach, expect, test, vi } from "vitest";
import { OutcomeUnknownError, runTransaction } from "./transaction.ts";

afterEach(() => void vi.useRealTimers());

test("the outcome of a lost COMMIT is unknown after 5 s if the database hangs", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const lost = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
  const losing = (text: string) => (text === "commit" ? Promise.reject(lost) : Promise.resolve({ command: "BEGIN" }));
  const connections = [
    { query: losing, release: () => {} },
    { query: () => new Promise(() => {}), release: () => {} },
  ];
  const pool = { connect: async () => connections.shift() } as unknown as pg.Pool;
  const outcome = runTransaction(pool, async () => "written", { wasCommitted: async () => true });
  const unknown = expect(outcome).rejects.toBeInstanceOf(OutcomeUnknownError);
  await vi.advanceTimersByTimeAsync(5000);
  await unknown;
});
