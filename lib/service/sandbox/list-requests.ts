import { limits } from "../../contract/limits.ts";
import { type ApiRequest, listNewestApiRequests } from "../storage/api-requests.ts";
import { database } from "../storage/database.ts";
import { flushRequestLog } from "./request-log.ts";

export type { ApiRequest } from "../storage/api-requests.ts";

/** A client's last requests, newest first, the ones that this process answered a moment ago included. */
export async function listRequests(clientId: string): Promise<ApiRequest[]> {
  await flushRequestLog();
  return listNewestApiRequests(database(), { clientId, limit: limits.requestsKeptMax });
}
