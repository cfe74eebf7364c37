/** Exits a command that got invalid arguments. */
export function endWithUsage(usage: string): never {
  process.stderr.write(`Usage: ${usage}\n`);
  process.exit(2);
}

/** Ends a command that other code may keep alive. The slow reader of a pipe gets everything first. */
export async function exitOnceWritten(): Promise<never> {
  await new Promise<void>((done) => process.stdout.write("", () => done()));
  process.exit();
}
