import { setTimeout as delay } from "node:timers/promises";
import { limits } from "../../contract/limits.ts";
import { isDataError, isLockTimeout } from "../../kit/database-errors.ts";
import { retryConflicts } from "../../kit/transaction.ts";

/** Whether a statement skips locked rows, or waits for them for at most `lockTimeoutMs`. */
export type SetOptions = { skipLocked: boolean; lockTimeoutMs: number };

/**
 * A request that an attempt skipped, writing nothing for it. `held`: another transaction holds what it needs. `crowded`:
 * it may succeed in a smaller set.
 */
export type Skipped = "held" | "crowded";

export type SetOperation<Request, Outcome extends object> = {
  /** One statement, its own transaction. If it throws, it did nothing. */
  attempt: (requests: Request[], options: SetOptions) => Promise<(Outcome | Skipped)[]>;
  /** The refusal or replay that a skipped request would get on its own; undefined if it could succeed alone. */
  judge: (requests: Request[]) => Promise<(Outcome | undefined)[]>;
};

/** Another transaction holds what the request needs; a retry may succeed. */
export type Busy = { kind: "busy" };

/**
 * Serves sets as if their requests ran one after another, in order of arrival. Left-out requests are judged. Those that
 * could succeed are attempted again without the finished ones, or in halves. If PostgreSQL rejects a row, it's isolated
 * the same way. Each request is answered as soon as it's served.
 */
export function serveSets<Request, Outcome extends object>({
  attempt,
  judge,
}: SetOperation<Request, Outcome>): (requests: Request[]) => Promise<Promise<Outcome | Busy>[]> {
  type Waiting = { request: Request; settle: (outcome: Outcome | Busy) => void; fail: (error: unknown) => void };
  const attemptSet = skippingLockedRows();

  async function serve(waiting: Waiting[]): Promise<void> {
    if (waiting.length === 0) return;
    try {
      const requests = waiting.map(({ request }) => request);
      const attempted = await attemptSet((options) => retryConflicts(() => attempt(requests, options)));
      await serveSkipped(waiting, attempted);
    } catch (error) {
      if (isDataError(error) && waiting.length > 1) return serveHalves(waiting);
      for (const { fail } of waiting) fail(error);
    }
  }

  async function serveSkipped(waiting: Waiting[], attempted: (Outcome | Skipped)[]): Promise<void> {
    const skipped = waiting.flatMap((one, index) => {
      const outcome = attempted[index];
      if (outcome === "held" || outcome === "crowded") return [{ one, isCrowded: outcome === "crowded" }];
      if (outcome) one.settle(outcome);
      return [];
    });
    if (skipped.length === 0) return;
    const verdicts = await judge(skipped.map(({ one }) => one.request));
    const retried = skipped.flatMap(({ one, isCrowded }, index) => {
      const verdict = verdicts[index] ?? (isCrowded ? undefined : busy);
      if (verdict) one.settle(verdict);
      return verdict ? [] : [one];
    });
    if (retried.length < waiting.length) return serve(retried);
    // It could succeed now, so what blocked it is gone: retry later.
    if (retried.length === 1) retried[0]?.settle(busy);
    else await serveHalves(retried);
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

// How long sets skip locked rows after a lock timeout, because the process that holds one may be frozen.
const cautiousMs = 1000;
const lockTimeoutMs = 250;

// A set that skips locked rows can still wait in the database: commits that notify are serialized.
function skippingLockedRows(): <T>(run: (options: SetOptions) => Promise<T>) => Promise<T> {
  let cautiousUntil = 0;
  return async (run) => {
    const passing = { skipLocked: true, lockTimeoutMs: limits.waitForOthersMs };
    if (performance.now() < cautiousUntil) return run(passing);
    try {
      return await run({ skipLocked: false, lockTimeoutMs });
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      cautiousUntil = performance.now() + cautiousMs;
      return run(passing);
    }
  };
}

/** Retries while the outcome is `idempotency_in_progress` or `busy`, for up to 2 seconds. Decision D13 */
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
