import { transitions } from "#lib/contract/statuses.ts";

/** Statuses that can be set next. Only consent converts an intent. */
export function nextSteps(resource: keyof typeof transitions, status: string): string[] {
  const following: Record<string, readonly string[]> = transitions[resource];
  return (Object.hasOwn(following, status) ? (following[status] ?? []) : []).filter(
    (next) => next !== "converted_to_user",
  );
}
