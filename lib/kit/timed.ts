const tickMs = 20;
// Busy processes are often late by less.
const pauseMs = 100;

/** The result of a call, and its milliseconds without pauses of this process, for which the other side isn't to blame. */
export async function timed<Result>(call: () => Promise<Result>): Promise<{ result: Result; durationMs: number }> {
  let countedMs = 0;
  let lastMs = performance.now();
  const count = () => {
    const sinceMs = performance.now() - lastMs;
    countedMs += sinceMs > pauseMs ? tickMs : sinceMs;
    lastMs += sinceMs;
  };
  const timer = setInterval(count, tickMs);
  try {
    const result = await call();
    count();
    return { result, durationMs: Math.round(countedMs) };
  } finally {
    clearInterval(timer);
  }
}
