import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { identifier, timestamp, word } from "./text.ts";

const { clockAdvanceSecondsMax: secondsMax } = limits;
const atMost = `Is at most ${secondsMax}, which is ${secondsMax / (24 * 60 * 60)} days.`;

/** Body of `POST /sandbox/clock/advance`: by how many whole seconds the client's clock moves forward. Decision D16 */
export const clockAdvance = z.strictObject({
  seconds: z
    .int("Must be a whole number.")
    .check(z.minimum(1, "Is at least 1: a clock moves forward only."), z.maximum(secondsMax, atMost)),
});

/** Query of `GET /sandbox/clock/due`: how many seconds ahead to look; 0 shows what is overdue. */
export const dueQuery = z.strictObject({
  seconds: z.pipe(
    z.pipe(z.string().check(z.regex(/^\d{1,9}$/, "Must be a whole number.")), z.transform(Number)),
    z.number().check(z.maximum(secondsMax, atMost)),
  ),
});

/** A client's clock: its time, and how far that is ahead of real time. Decision D15 */
export const clockRecord = z.object({ now: timestamp, offset_seconds: z.number() });
export type ClockRecord = z.infer<typeof clockRecord>;

/** What falls due: work of the service (the first three), or the end of something's lifetime. */
export const dueKinds = [
  "screening",
  "transfer",
  "delivery",
  "identity_verification_token",
  "visit",
  "verification_code",
  "authorization_code",
  "access_token",
  "refresh_token",
] as const;
export type DueKind = (typeof dueKinds)[number];

/**
 * Answer to `GET /sandbox/clock/due`, soonest first, at most `limits.dueItemsMax`. `id` is that of the intent, transfer,
 * delivery (its webhook_id) or visit; tokens and authorization codes show no id of their own but their user's or intent's.
 */
export const dueList = z.object({
  now: timestamp,
  due: z.array(z.object({ kind: word(dueKinds), id: identifier, due_at: timestamp })),
});
export type DueList = z.infer<typeof dueList>;
