import { setTimeout as delay } from "node:timers/promises";
import { limits } from "../../contract/limits.ts";
import { isDataError, isLockTimeout } from "../../kit/database-errors.ts";
import { retryConflicts } from "../../kit/transaction.ts";

/** How a statement treats rows that another transaction holds: it skips them, or waits `lockTimeoutMs` at most. */
export type SetOptions = { passOverHeld: boolean; lockTimeoutMs: number };

/**
 * A request that an attempt left out without a trace. `held`: another transaction holds what it needs. `crowded`: its
 * neighbors were in the way, so it may succeed in a smaller set.
 */
export type LeftOut = "held" | "crowded";

/** One operation on a set of requests. */
export type SetOperation<Request, Outcome extends object> = {
  /** One statement that is a transaction by itself. It serves what it can; if it throws, it did nothing. */
  attempt: (requests: Request[], options: SetOptions) => Promise<(Outcome | LeftOut)[]>;
  /** The outcome of each left-out request that no neighbor can change; undefined if it could succeed alone. */
  judge: (requests: Request[]) => Promise<(Outcome | undefined)[]>;
};

/** What a request gets while another transaction holds what it needs; a retry may succeed. */
export type Busy = { kind: "busy" };

/**
 * Serves sets as if their requests ran one after another in arrival order. Left-out requests are judged; those with nothing
 * against them are attempted again by the same statement, without the neighbors that are done, or else in halves. A row that
 * PostgreSQL rejects is isolated the same way and fails alone. For a batcher: each request is answered as soon as it's served.
 */
export function serveSets<Request, Outcome extends object>({
  attempt,
  judge,
}: SetOperation<Request, Outcome>): (requests: Request[]) => Promise<Promise<Outcome | Busy>[]> {
  type Waiting = { request: Request; settle: (outcome: Outcome | Busy) => void; fail: (error: unknown) => void };
  const attemptInTime = passingOverHeldRows();

  async function serve(waiting: Waiting[]): Promise<void> {
    if (waiting.length === 0) return;
    try {
      const requests = waiting.map(({ request }) => request);
      const attempted = await attemptInTime((options) => retryConflicts(() => attempt(requests, options)));
      await serveLeftOut(waiting, attempted);
    } catch (error) {
      if (isDataError(error) && waiting.length > 1) return serveHalves(waiting);
      for (const { fail } of waiting) fail(error);
    }
  }

  async function serveLeftOut(waiting: Waiting[], attempted: (Outcome | LeftOut)[]): Promise<void> {
    const leftOut = waiting.flatMap((one, place) => {
      const outcome = attempted[place];
      if (outcome === "held" || outcome === "crowded") return [{ one, isCrowded: outcome === "crowded" }];
      if (outcome) one.settle(outcome);
      return [];
    });
    if (leftOut.length === 0) return;
    const verdicts = await judge(leftOut.map(({ one }) => one.request));
    const again = leftOut.flatMap(({ one, isCrowded }, place) => {
      const verdict = verdicts[place] ?? (isCrowded ? undefined : busy);
      if (verdict) one.settle(verdict);
      return verdict ? [] : [one];
    });
    if (again.length < waiting.length) return serve(again);
    // Nothing is against it anymore, so what was has just changed.
    if (again.length === 1) again[0]?.settle(busy);
    else await serveHalves(again);
  }

  async function serveHalves(waiting: Waiting[]): Promise<void> {
    const middle = Math.ceil(waiting.length / 2);
    await serve(waiting.slice(0, middle));
    await serve(waiting.slice(middle));
  }

  return async (requests) => {
    const waiting = requests.map((request) => {
      const { promise, resolve: settle, reject: fail } = Promise.withResolvers<Outcome | Busy>();
      return { promise, request, settle, fail };
    });
    void serve(waiting);
    return waiting.map(({ promise }) => promise);
  };
}

const busy: Busy = { kind: "busy" };

// For this long after a lock timeout, sets don't wait again: the process that holds the row may be frozen.
const troubledMs = 1000;
const lockTimeoutMs = 250;

// A set that skips held rows still waits for the database itself: commits that notify are written one after another.
function passingOverHeldRows(): <T>(run: (options: SetOptions) => Promise<T>) => Promise<T> {
  let troubledUntil = 0;
  return async (run) => {
    const passing = { passOverHeld: true, lockTimeoutMs: limits.waitForOthersMs };
    if (performance.now() < troubledUntil) return run(passing);
    try {
      return await run({ passOverHeld: false, lockTimeoutMs });
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      troubledUntil = performance.now() + troubledMs;
      return run(passing);
    }
  };
}

/**
 * Makes attempts until one is neither `idempotency_in_progress` nor `busy`: what it waits for is under way in
 * another transaction. Gives up after 2 seconds with the last outcome. Decision D13
 */
export async function untilSettled<Outcome extends { kind: string }>(
  attempt: () => Promise<Outcome>,
): Promise<Outcome> {
  const giveUpAt = performance.now() + limits.waitForOthersMs;
  while (true) {
    const outcome = await attempt();
    const isWaiting = outcome.kind === "idempotency_in_progress" || outcome.kind === "busy";
    if (!isWaiting || performance.now() + retryMs > giveUpAt) return outcome;
    await delay(retryMs);
  }
}

const retryMs = 20;
