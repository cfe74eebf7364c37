/** What may have changed for a person. `user`: their record or connection. `inspector`: a sandbox's recorded exchanges. */
export const topics = ["onboarding", "user", "routines", "inspector"] as const;
export type Topic = (typeof topics)[number];

/**
 * What the stream sends to a page. `ready`: changes are sent from now on, so anything read earlier is stale; with
 * `isSince` also those since the position that the page named, so that nothing else is. `changed`: one
 * topic changed; `id` names one item. `lost`: changes may be missed until the next `ready`. `beat`: a heartbeat.
 * `session_ended`: the page's session is over, or its role changed.
 */
export type LiveEvent =
  | { kind: "lost" | "beat" | "session_ended" }
  | { kind: "ready"; isSince?: true | undefined }
  | { kind: "changed"; topic: Topic; id?: string | undefined };

/** The header with the id of a page's person: someone else may have signed in since, in another tab. */
export const pagePersonHeader = "page-person";

/** The parameter of the stream's address that names the page's position. */
export const positionParameter = "since";
