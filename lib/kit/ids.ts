import { createHash } from "node:crypto";
import { v7 } from "uuid";

/** Every UUID in a text, to be told from numbers: one in about seventy has nine digits in a row by chance. For `replaceAll`. */
export const uuids = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;

/** Whether a text can be one of our own ids; an address may hold anything. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

/** A new UUID of version 7: later ids sort after earlier ones, so "newest first" needs no second column. */
export function newId(): string {
  return v7();
}

/** The first UUID that `newId` could have made at this time: what was made since sorts after it. */
export function firstIdAt(time: Date): string {
  return v7({ msecs: time.getTime(), seq: 0, random: new Uint8Array(16) });
}

/** The UUID that stands for this text, the same everywhere and always (version 8). */
export function idFor(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A new UUID of version 7 that sorts as if it had been made at this time. */
export function newIdAt(time: Date): string {
  return v7({ msecs: time.getTime() });
}
