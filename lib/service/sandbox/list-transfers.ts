import { limits } from "../../contract/limits.ts";
import { database } from "../storage/database.ts";
import { listTransfersOfClient, type TransferOfRoutine } from "../storage/routines.ts";

/** A client's newest transfers, whoever ordered them, newest first, at most `limits.pageSizeMax`. */
export function listTransfers(clientId: string): Promise<TransferOfRoutine[]> {
  return listTransfersOfClient(database(), { clientId, limit: limits.pageSizeMax });
}
