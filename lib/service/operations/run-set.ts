import { isLockTimeout } from "../../kit/database-errors.ts";

/** How a set takes its rows: waiting for those held elsewhere, for a moment, or passing over them. */
export type SetOptions = { passOverHeld: boolean };

/** How long a set that waits for its rows does so at most, in milliseconds. */
export const setLockTimeoutMs = 250;

// For this long after a row was not to be had, sets do not wait again: whoever holds it may be frozen.
const troubledMs = 1000;

/**
 * Runs sets so that a row which somebody holds for long (a frozen process) stops nobody but those who want that very row:
 * a set that runs into a lock timeout is run again passing over what is held elsewhere, and so are those after it for a
 * while. `run` must use `setLockTimeoutMs` where it waits, and return outcomes that say what was passed over.
 */
export function passingOverHeldRows<Request, Outcome>(
  run: (requests: Request[], options: SetOptions) => Promise<Outcome[]>,
): (requests: Request[]) => Promise<Outcome[]> {
  let troubledUntil = 0;
  return async (requests) => {
    if (performance.now() < troubledUntil) return run(requests, { passOverHeld: true });
    try {
      return await run(requests, { passOverHeld: false });
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      troubledUntil = performance.now() + troubledMs;
      return run(requests, { passOverHeld: true });
    }
  };
}
