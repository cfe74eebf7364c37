import { limits } from "../../contract/limits.ts";
import type { Metadata } from "../../contract/people.ts";

/**
 * Merges the metadata of a user's intents; the newest value of a key wins. Above the published maximum, pairs of the
 * oldest intents are dropped first, starting with their last keys. Decision D6
 */
export function mergeMetadata(oldestFirst: (Metadata | null)[]): Metadata | null {
  if (oldestFirst.every((metadata) => metadata === null)) return null;
  const merged = new Map<string, string>();
  for (const metadata of oldestFirst.toReversed()) {
    for (const [key, value] of Object.entries(metadata ?? {}).sort(byKey)) {
      if (merged.size < limits.metadataPairsMax && !merged.has(key)) merged.set(key, value);
    }
  }
  return Object.fromEntries(merged);
}

function byKey([left]: [string, string], [right]: [string, string]): number {
  return left < right ? -1 : 1;
}
