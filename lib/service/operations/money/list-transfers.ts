import { database } from "../../storage/database.ts";
import type { Page } from "../../storage/routines.ts";
import {
  findTransfer,
  listTransfers as listTransfersOf,
  type TransferFilter,
  type TransferOfRoutine,
} from "../../storage/transfers.ts";
import { type ListPart, readPart } from "../list-part.ts";
import type { UserCaller } from "../tokens/authenticate-access-token.ts";

export type { TransferOfRoutine } from "../../storage/transfers.ts";

/** The transfers that the caller ordered or receives, newest first. */
export function listTransfers(
  { routineId, status, ...page }: Page & TransferFilter,
  { user }: UserCaller,
): Promise<ListPart<TransferOfRoutine>> {
  return readPart(page, (wider) => listTransfersOf(database(), { ...wider, routineId, status, userId: user.id }));
}

/** A transfer that the caller ordered or receives, or undefined when it is missing or between others. */
export function readTransfer(id: string, { user }: UserCaller): Promise<TransferOfRoutine | undefined> {
  return findTransfer(database(), { id, userId: user.id });
}
