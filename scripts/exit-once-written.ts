/** Ends a command that other code may keep alive. The slow reader of a pipe gets everything first. */
export async function exitOnceWritten(): Promise<never> {
  await new Promise<void>((done) => process.stdout.write("", () => done()));
  process.exit();
}
