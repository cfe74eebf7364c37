/**
 * Calls third-party code, such as a provider's, with a timeout. Rejects on time even if the call ignores its signal; its
 * outcome is then unknown.
 */
export async function callWithin<T>(
  timeoutMs: number,
  call: (options: { signal: AbortSignal }) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(timeoutMs);
  const { promise: isOver, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(new Error(`There was no answer within ${timeoutMs / 1000} s.`)));
  // Keeps the process alive for a call that holds nothing open, because the signal's timer doesn't.
  const wait = setInterval(() => {}, timeoutMs);
  try {
    // Even if the call throws at once, the timeout's rejection must be handled.
    return await Promise.race([(async () => call({ signal }))(), isOver]);
  } finally {
    clearInterval(wait);
  }
}

/**
 * The message of a third-party error, for the log: without these personal values, and without anything that could be a
 * code, a phone, an email address or another number.
 */
export function messageWithoutData(error: unknown, values: readonly string[] = []): string {
  const message = error instanceof Error ? error.message : "A value that is not an Error was thrown.";
  const hidden = values.filter((value) => value.length > 1).toSorted((a, b) => b.length - a.length);
  // In any case, because many providers write names in capitals.
  const anyOf = hidden.map((value) => value.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("|");
  const known = message.slice(0, 10_000);
  const cleared = anyOf === "" ? known : known.replaceAll(new RegExp(anyOf, "giu"), "…");
  // Cut last, because half a value would not be found.
  return cleared
    .replaceAll(/\d[\d\s().-]{2,}\d/g, "…")
    .replaceAll(/\S+@\S+/g, "…")
    .slice(0, 500);
}
