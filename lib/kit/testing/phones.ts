import { randomInt } from "node:crypto";

/** A US mobile number that no other test uses. */
export function newPhone(): string {
  return `+1${randomInt(200, 1000)}${randomInt(200, 1000)}${String(randomInt(10_000)).padStart(4, "0")}`;
}
