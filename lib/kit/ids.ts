import { v7 } from "uuid";

/** A new UUID of version 7: later ids sort after earlier ones, so "newest first" needs no second column. */
export function newId(): string {
  return v7();
}

/** The first UUID that `newId` could have made at this time: what was made since sorts after it. */
export function firstIdAt(time: Date): string {
  return v7({ msecs: time.getTime(), seq: 0, random: new Uint8Array(16) });
}
