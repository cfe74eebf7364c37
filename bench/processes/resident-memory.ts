import { readFileSync } from "node:fs";

/**
 * What processes of Node hold in memory together at this moment, in MB. The program of Node (some 50 MB), of which the
 * system keeps one copy for all of them, counts once. NaN where the system does not tell (only Linux does, in /proc).
 */
export function residentMb(pids: readonly number[]): number {
  const held = pids.map(readHeld);
  const own = held.reduce((sum, { ownKb }) => sum + ownKb, 0);
  return (own + Math.max(...held.map(({ mappedKb }) => mappedKb))) / 1024;
}

function readHeld(pid: number): { ownKb: number; mappedKb: number } {
  try {
    const text = readFileSync(`/proc/${pid}/status`, "utf8");
    const kbOf = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1]);
    return { ownKb: kbOf("RssAnon") + kbOf("RssShmem"), mappedKb: kbOf("RssFile") };
  } catch {
    return { ownKb: Number.NaN, mappedKb: Number.NaN };
  }
}
