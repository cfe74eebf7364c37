import { createHash } from "node:crypto";
import { v7 } from "uuid";

/** Matches every UUID in a text, for `replaceAll`. A UUID's digits can look like a nine-digit number. */
export const uuids = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;

/** Whether a text has the form of our ids. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

/** A UUID of version 7: later ids sort after earlier ones. */
export function newId(): string {
  return v7();
}

/** Whether a UUID is of version 7, so that it says when it was made. */
export function hasTime(id: string): boolean {
  return id[14] === "7";
}

/** When a UUID of version 7 was made, in milliseconds. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The smallest UUID of version 7 for this time. */
export function firstIdAt(time: Date): string {
  return v7({ msecs: Math.max(0, time.getTime()), seq: 0, random: new Uint8Array(16) });
}

/** A deterministic UUID (version 8), derived from a text. */
export function idFor(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A UUID of version 7 with this time. */
export function newIdAt(time: Date): string {
  return v7({ msecs: time.getTime() });
}
