/** Exits a command that got invalid arguments. */
export function endWithUsage(usage: string): never {
  process.stderr.write(`Usage: ${usage}\n`);
  process.exit(2);
}
