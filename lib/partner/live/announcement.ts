import * as z from "zod/mini";
import { topics } from "./live-event.ts";

// What the triggers of the database notify (storage/migrations/0008_live.sql): to a person by their id, or to all operators.
const announcement = z.object({
  to: z.string(),
  topic: z.enum([...topics, "session"]),
  id: z.optional(z.string()),
});
export type Announcement = z.infer<typeof announcement>;

/** Reads a notification; undefined for one that this process does not know, as of a newer release. */
export function readAnnouncement(payload: string): Announcement | undefined {
  try {
    return announcement.safeParse(JSON.parse(payload)).data;
  } catch {
    return undefined;
  }
}
