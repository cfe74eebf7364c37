import { type TransferList, type TransferRecord, transferList, transferRecord } from "../../contract/routines.ts";
import { type Answer, type CallOptions, callService } from "./call-service.ts";
import { asUser } from "./credentials.ts";

/** The transfer's current state; `failure_reason` says why one failed. */
export function readTransfer(
  accessToken: string,
  transferId: string,
  options: CallOptions = {},
): Promise<Answer<TransferRecord>> {
  return callService({
    method: "GET",
    path: `/v1/transfers/${encodeURIComponent(transferId)}`,
    authorization: asUser(accessToken),
    schema: transferRecord,
    ...options,
  });
}

/** The newest transfers that the user sent or received, at most `limit`. Decision D13 */
export function listTransfers(
  accessToken: string,
  { limit, ...options }: CallOptions & { limit: number },
): Promise<Answer<TransferList>> {
  return callService({
    method: "GET",
    path: `/v1/transfers?limit=${limit}`,
    authorization: asUser(accessToken),
    schema: transferList,
    ...options,
  });
}
