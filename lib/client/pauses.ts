import { createHash } from "node:crypto";
import type { Refused } from "./answer.ts";

/** The calls that the service asked to wait with, in this process. */
export type Pauses = {
  /** What this very call was refused with, while the service's pause lasts. */
  find: (call: unknown) => Refused | undefined;
  /** Remembers a refusal that says for how long not to send this very call again. */
  note: (call: unknown, refused: Refused, retryAfter: string | null) => void;
};

// A service in maintenance may ask for hours; what it says by then is worth a question.
const secondsMax = 60 * 60;

/** Keeps them in memory. Two calls are the same when all that is sent is, credentials and key included. */
export function createPauses(): Pauses {
  const pauses = new Map<string, { refused: Refused; endsAtMs: number }>();

  function find(call: unknown): Refused | undefined {
    // Nearly always, and then nothing is to be worked out.
    if (pauses.size === 0) return undefined;
    const pause = pauses.get(keyOf(call));
    return pause && pause.endsAtMs > performance.now() ? pause.refused : undefined;
  }

  function note(call: unknown, refused: Refused, retryAfter: string | null): void {
    const seconds = Math.min(secondsOf(retryAfter), secondsMax);
    if ((refused.status !== 429 && refused.status !== 503) || !(seconds > 0)) return;
    const nowMs = performance.now();
    for (const [key, { endsAtMs }] of pauses) if (endsAtMs <= nowMs) pauses.delete(key);
    pauses.set(keyOf(call), { refused, endsAtMs: nowMs + seconds * 1000 });
  }

  return { find, note };
}

/** RFC 9110 section 10.2.3: seconds, or a date. Not a number when it is neither. */
function secondsOf(retryAfter: string | null): number {
  if (retryAfter === null) return Number.NaN;
  return /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1000;
}

// A fingerprint, so that no credential stays in memory longer than its call.
function keyOf(call: unknown): string {
  return createHash("sha256").update(JSON.stringify(call)).digest("base64");
}
