/**
 * What may have changed for somebody. `user`: their record at the service, or the connection to it. `inspector`: what a
 * sandbox records of what they cause.
 */
export const topics = ["onboarding", "user", "routines", "inspector"] as const;
export type Topic = (typeof topics)[number];

/**
 * What the stream tells a page. `ready`: from now on each change is told, so whatever was read before is read again.
 * `changed`: something of this topic did; of one among many, `id` says which. `lost`: nothing is told until the next
 * `ready`. `beat`: the stream is alive, and nothing else. `session_ended`: nobody is signed in here any more, or not as they were.
 */
export type LiveEvent =
  | { kind: "ready" | "lost" | "beat" | "session_ended" }
  | { kind: "changed"; topic: Topic; id?: string | undefined };

/** The header by which a page says whose it is, by their id: another person may have signed in since, in another tab. */
export const pagePersonHeader = "page-person";
