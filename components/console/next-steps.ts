import { transitions } from "#lib/contract/statuses.ts";

/** The statuses that may be set by hand after the present one. Only a consent converts. */
export function nextSteps(resource: keyof typeof transitions, status: string): string[] {
  const following: Record<string, readonly string[]> = transitions[resource];
  return (Object.hasOwn(following, status) ? (following[status] ?? []) : []).filter(
    (next) => next !== "converted_to_user",
  );
}
