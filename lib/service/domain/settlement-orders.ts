import type { SettlementAnswer } from "../../contract/providers.ts";
import type { TransferStatus } from "../../contract/statuses.ts";

/** `bounced`: returned before we knew that it was settled. */
export type SettlementOrderState = "open" | "settled" | "failed" | "returned" | "bounced";

/** `repeated` and `late` add nothing. `contradicts` needs an operator. */
export type SettlementVerdict = "settle" | "fail" | "bounce" | "return" | "wait" | "repeated" | "late" | "contradicts";

const verdicts: Record<SettlementOrderState, Record<SettlementAnswer["kind"], SettlementVerdict>> = {
  open: { pending: "wait", settled: "settle", failed: "fail", returned: "bounce" },
  settled: { pending: "late", settled: "repeated", failed: "contradicts", returned: "return" },
  failed: { pending: "late", settled: "contradicts", failed: "repeated", returned: "late" },
  returned: { pending: "late", settled: "late", failed: "late", returned: "repeated" },
  bounced: { pending: "late", settled: "late", failed: "late", returned: "repeated" },
};

/** The outcome of an answer. `unknown`: there is no such order. */
export type SettlementResult =
  | "settled"
  | "failed"
  | "returned"
  | "pending"
  | "repeated"
  | "late"
  | "contradiction"
  | "unknown";

/** What a provider's answer does to an order. Answers can arrive in any order. Decision D24 */
export function judgeSettlement(
  state: SettlementOrderState,
  { kind }: Pick<SettlementAnswer, "kind">,
): SettlementVerdict {
  return verdicts[state][kind];
}

export const transferStatusOfOrder = {
  open: "pending",
  settled: "processed",
  failed: "failed",
  returned: "processed",
  bounced: "failed",
} as const satisfies Record<SettlementOrderState, TransferStatus>;
