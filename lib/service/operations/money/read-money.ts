import { type Account, findAccount, listAccounts as listAccountsOf } from "../../storage/accounts.ts";
import { database } from "../../storage/database.ts";
import { type ListPart, type Page, readPart } from "../../storage/pagination.ts";
import {
  findRoutine,
  findTransfer,
  listRoutines as listRoutinesOf,
  listTransfers as listTransfersOf,
  type RoutineWithTransfer,
  type TransferFilter,
  type TransferOfRoutine,
} from "../../storage/routines.ts";
import type { UserCaller } from "../tokens/authenticate.ts";

export type { Account } from "../../storage/accounts.ts";
export type { RoutineWithTransfer, TransferOfRoutine } from "../../storage/routines.ts";

/** Oldest first. */
export function listAccounts({ user }: UserCaller): Promise<Account[]> {
  return listAccountsOf(database(), user.id);
}

/** Undefined if it's missing or another user's. */
export function readAccount(id: string, { user }: UserCaller): Promise<Account | undefined> {
  return findAccount(database(), { id, userId: user.id });
}

/** Newest first. */
export function listRoutines(page: Page, { user }: UserCaller): Promise<ListPart<RoutineWithTransfer>> {
  return readPart(page, (wider) => listRoutinesOf(database(), { ...wider, userId: user.id }));
}

/** Undefined if it's missing or another user's. */
export function readRoutine(id: string, { user }: UserCaller): Promise<RoutineWithTransfer | undefined> {
  return findRoutine(database(), { id, userId: user.id });
}

/** Paid and received, newest first. */
export function listTransfers(
  { routineId, status, ...page }: Page & TransferFilter,
  { user }: UserCaller,
): Promise<ListPart<TransferOfRoutine>> {
  return readPart(page, (wider) => listTransfersOf(database(), { ...wider, routineId, status, userId: user.id }));
}

/** Undefined if it's missing or between other users. */
export function readTransfer(id: string, { user }: UserCaller): Promise<TransferOfRoutine | undefined> {
  return findTransfer(database(), { id, userId: user.id });
}
