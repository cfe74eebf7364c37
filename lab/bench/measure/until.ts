const minutesMax = 5;

/** Polls until `isReached`. Throws after a few minutes. */
export async function until(what: string, isReached: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + minutesMax * 60_000;
  while (!(await isReached())) {
    if (Date.now() > giveUpAt) throw new Error(`Timed out after ${minutesMax} minutes waiting for: ${what}.`);
    await new Promise((done) => setTimeout(done, 5));
  }
}
