import { database } from "../../storage/database.ts";
import {
  findRoutine,
  listRoutines as listRoutinesOf,
  type Page,
  type RoutineWithTransfer,
} from "../../storage/routines.ts";
import { type ListPart, readPart } from "../list-part.ts";
import type { UserCaller } from "../tokens/authenticate-access-token.ts";

export type { RoutineWithTransfer } from "../../storage/routines.ts";

/** The caller's routines, newest first. */
export function listRoutines(page: Page, { user }: UserCaller): Promise<ListPart<RoutineWithTransfer>> {
  return readPart(page, (wider) => listRoutinesOf(database(), { ...wider, userId: user.id }));
}

/** One of the caller's routines, or undefined when it is missing or somebody else's. */
export function readRoutine(id: string, { user }: UserCaller): Promise<RoutineWithTransfer | undefined> {
  return findRoutine(database(), { id, userId: user.id });
}
