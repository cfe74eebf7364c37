import { v7 } from "uuid";

/** A new UUID of version 7: later ids sort after earlier ones, so "newest first" needs no second column. */
export function newId(): string {
  return v7();
}
