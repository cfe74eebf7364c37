const minutesMax = 5;

/** Resolves once `isReached`, asked every few milliseconds. Throws when that takes minutes: then something is stuck or lost. */
export async function until(what: string, isReached: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + minutesMax * 60_000;
  while (!(await isReached())) {
    if (Date.now() > giveUpAt) throw new Error(`After ${minutesMax} minutes not yet: ${what}.`);
    await new Promise((done) => setTimeout(done, 5));
  }
}
