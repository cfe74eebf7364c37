/**
 * Calls code of others, such as a provider's. Rejects when time is up, whether or not the call heeds its signal: its outcome
 * is unknown then.
 */
export async function callWithin<T>(
  timeoutMs: number,
  call: (options: { signal: AbortSignal }) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(timeoutMs);
  const { promise: isOver, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(new Error(`There was no answer within ${timeoutMs / 1000} s.`)));
  return Promise.race([call({ signal }), isOver]);
}

/**
 * The message of an error of others, for the log: without these values of a person, and without anything that may be a code,
 * a phone, an email address or another number.
 */
export function messageWithoutData(error: unknown, values: readonly string[] = []): string {
  const message = error instanceof Error ? error.message : "A value that is not an Error was thrown.";
  const hidden = values.filter((value) => value.length > 1).toSorted((a, b) => b.length - a.length);
  const cleared = hidden.reduce((text, value) => text.replaceAll(value, "…"), message.slice(0, 500));
  return cleared.replaceAll(/\d[\d\s().-]{2,}\d/g, "…").replaceAll(/\S+@\S+/g, "…");
}
