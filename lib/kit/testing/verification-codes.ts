export function wrongCodeFor(code: string): string {
  return String((Number(code) + 1) % 10 ** code.length).padStart(code.length, "0");
}
