import { limits } from "../../contract/limits.ts";
import { isLockTimeout, isTransactionConflict } from "../../kit/database-errors.ts";
import { log } from "../../kit/log.ts";
import { isDataError } from "../../kit/row-errors.ts";

/** How a set takes its rows: waiting for those held elsewhere, for a moment, or passing over them. */
export type SetOptions = { passOverHeld: boolean };

/**
 * How long a set waits for a lock at most, in milliseconds. One that passes over held rows waits for no row, but still for the
 * database itself: commits that notify somebody go one after another, and the disk may keep the first.
 */
export function lockTimeoutOf({ passOverHeld }: SetOptions): number {
  return passOverHeld ? limits.waitForOthersMs : 250;
}

/**
 * Two ways to serve a set. `inOneStatement` serves what is easy and returns undefined for each request that it has left out
 * without a trace; `carefully` serves anything, in one transaction.
 */
export type WaysToServe<Request, Outcome> = {
  inOneStatement: (requests: Request[], options: SetOptions) => Promise<(Outcome | undefined)[]>;
  carefully: (requests: Request[], options: SetOptions) => Promise<Outcome[]>;
};

/**
 * Serves sets the easy way first, and then what that has left out the careful way, in arrival order. A row that is held
 * for long (by a frozen process) stops only the requests that need this row: a way that runs into a lock timeout is tried
 * again passing over what is held elsewhere. Both must use `lockTimeoutOf` where they wait. For a batcher: what was
 * served the easy way is answered at once, whatever becomes of the rest.
 */
export function serveSets<Request, Outcome>({
  inOneStatement,
  carefully,
}: WaysToServe<Request, Outcome>): (requests: Request[]) => Promise<(Outcome | Promise<Outcome>)[]> {
  const passing = passingOverHeldRows();
  return async (requests) => {
    const served = await passing((options) => inOneStatement(requests, options)).catch((error: unknown) => {
      if (!isTransactionConflict(error) && !isDataError(error)) throw error;
      log().warn({ error }, "a set could not be served in one statement");
      return [];
    });
    const leftOut = requests.filter((_, place) => served[place] === undefined);
    if (leftOut.length === 0) return served as Outcome[];
    const rest = passing((options) => carefully(leftOut, options));
    let next = 0;
    return requests.map((_, place) => {
      const outcome = served[place];
      if (outcome !== undefined) return outcome;
      const own = next++;
      return rest.then((outcomes) => outcomes[own] as Outcome);
    });
  };
}

// For this long after a lock timeout, sets do not wait again: whoever holds the row may be frozen.
const troubledMs = 1000;

function passingOverHeldRows(): <T>(run: (options: SetOptions) => Promise<T>) => Promise<T> {
  let troubledUntil = 0;
  return async (run) => {
    if (performance.now() < troubledUntil) return run({ passOverHeld: true });
    try {
      return await run({ passOverHeld: false });
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      troubledUntil = performance.now() + troubledMs;
      return run({ passOverHeld: true });
    }
  };
}
