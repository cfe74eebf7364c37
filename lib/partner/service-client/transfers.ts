import type { Answer } from "./answer.ts";
import type { CallOptions, CallService } from "./call-service.ts";
import { asUser } from "./credentials.ts";
import type { Money } from "./money.ts";
import { identifier, listOf, money, optional, plainText, type Read, recordOf, time } from "./reading.ts";

/** A transfer. Only its id is certain: its other fields are not published, and the words of `status` are the service's own. Decision D13 */
export type Transfer = {
  id: string;
  routine_id?: string | undefined;
  routine_name?: string | undefined;
  amount: Money;
  status?: string | undefined;
  failure_reason?: string | undefined;
  /** ISO 8601, as `updated_at`. */
  created_at?: string | undefined;
  updated_at?: string | undefined;
};

const readRecord: Read<Transfer> = recordOf(
  {
    id: identifier,
    routine_id: optional(identifier),
    routine_name: optional(plainText),
    amount: money,
    status: optional(plainText),
    failure_reason: optional(plainText),
    created_at: optional(time),
    updated_at: optional(time),
  },
  { id: ["transfer_id"], status: ["state"] },
);
const readItems = listOf("transfers", readRecord);
const readPlace = recordOf({ next: optional(identifier) });
const readTransfers: Read<TransferPage> = (body) => {
  const [page, place] = [readItems(body), readPlace(body)];
  return page.kind === "ok" && place.kind === "ok" ? { ...page, body: { ...page.body, ...place.body } } : page;
};

/** One page of transfers. `isWhole`: none was left out as unreadable. `next`: the id to continue after, undefined on the last page. */
export type TransferPage = { items: Transfer[]; isWhole: boolean; next?: string | undefined };

/** The calls about transfers. */
export function transferCalls(call: CallService) {
  return {
    /** The transfer's current state; `failure_reason` says why one failed. */
    readTransfer: (accessToken: string, id: string, options: CallOptions = {}): Promise<Answer<Transfer>> =>
      call({
        method: "GET",
        path: `/v1/transfers/${encodeURIComponent(id)}`,
        authorization: asUser(accessToken),
        read: readRecord,
        id,
        ...options,
      }),

    /** One page of the transfers that the user sent or received, newest first. Decision D13 */
    listTransfers: (
      accessToken: string,
      { limit, startingAfter, ...options }: CallOptions & { limit: number; startingAfter?: string | undefined },
    ): Promise<Answer<TransferPage>> => {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(startingAfter && { starting_after: startingAfter }),
      });
      return call({
        method: "GET",
        path: `/v1/transfers?${query}`,
        authorization: asUser(accessToken),
        read: readTransfers,
        ...options,
      });
    },
  };
}
