/** What may have changed for a person. `user`: their record or connection. `inspector`: a sandbox's recorded exchanges. */
export const topics = ["onboarding", "user", "routines", "inspector"] as const;
export type Topic = (typeof topics)[number];

/**
 * What the stream sends to a page. `ready`: changes are sent from now on, so anything read earlier is stale; with
 * `isSince`, the changes since the page's position follow, and only what they name is stale. `changed`: one topic
 * changed; `id` names one item. `lost`: changes may be missed until the next `ready`. `session_ended`: the session is
 * over, or its role changed.
 */
export type LiveEvent =
  | { kind: "lost" | "beat" | "session_ended" }
  | { kind: "ready"; isSince?: true | undefined }
  | { kind: "changed"; topic: Topic; id?: string | undefined };

/** Header with the id of the person a page was rendered for: another tab may have signed in someone else since. */
export const pagePersonHeader = "page-person";
/** The same in a submitted form. */
export const pagePersonField = "page_person";

/** The query parameter with the page's position in the stream. */
export const positionParameter = "since";
