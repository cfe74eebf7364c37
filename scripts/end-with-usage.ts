/** Ends a command that was asked wrongly. */
export function endWithUsage(usage: string): never {
  process.stderr.write(`Usage: ${usage}\n`);
  process.exit(2);
}
