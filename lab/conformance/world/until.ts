const [pauseMs, triesMax] = [100, 30];

/** Polls for a few seconds until the result matches; returns the last result. */
export async function readUntil<Value>(
  read: () => Promise<Value>,
  isWanted: (value: Value) => boolean,
): Promise<Value> {
  let value = await read();
  for (let tries = 1; tries < triesMax && !isWanted(value); tries += 1) {
    await new Promise((done) => setTimeout(done, pauseMs));
    value = await read();
  }
  return value;
}
