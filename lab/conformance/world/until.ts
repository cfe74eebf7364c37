const [pauseMs, waitMsMax] = [100, 10_000];

/** Polls for up to ten seconds until the result matches; returns the last result. */
export async function readUntil<Value>(
  read: () => Promise<Value>,
  isWanted: (value: Value) => boolean,
): Promise<Value> {
  const giveUpAt = performance.now() + waitMsMax;
  let value = await read();
  while (!isWanted(value) && performance.now() < giveUpAt) {
    await new Promise((done) => setTimeout(done, pauseMs));
    value = await read();
  }
  return value;
}
