import { transitions } from "#lib/contract/statuses.ts";

/** The statuses that somebody may set by hand after the present one. A conversion follows a consent and nobody's hand. */
export function nextSteps(resource: keyof typeof transitions, status: string): string[] {
  const following: Record<string, readonly string[]> = transitions[resource];
  return (Object.hasOwn(following, status) ? (following[status] ?? []) : []).filter(
    (next) => next !== "converted_to_user",
  );
}
