import type { ConnectedUser, MeantTransfer } from "#lib/partner/connections/read-connected-user.ts";
import { amountText } from "../amount.tsx";
import { wordsOf } from "../status-words.ts";

/** Whether a transfer ended without the money. */
export function didNotArrive({ meaning }: MeantTransfer): boolean {
  return meaning === "failed" || meaning === "cancelled";
}

/** What a seller is told of their payouts: each that is new, or has come to mean something else. Empty when there is none. */
export function newsOfPayouts(before: ConnectedUser, now: ConnectedUser): string {
  if (before.kind !== "ok" || now.kind !== "ok" || !before.transfers || !now.transfers) return "";
  const known = new Map(before.transfers.map(({ id, meaning }) => [id, meaning]));
  const changed = now.transfers.filter(({ id, meaning }) => known.get(id) !== meaning);
  const balances = now.accounts?.items.map(({ current_balance }) => amountText(current_balance)) ?? [];
  const [balance] = balances;
  return [
    ...changed.map(sentenceOf),
    ...(changed.some(({ meaning }) => meaning === "succeeded") && balances.length === 1
      ? [`Your balance is ${balance}.`]
      : []),
  ].join(" ");
}

function sentenceOf(transfer: MeantTransfer): string {
  const what = `${amountText(transfer.amount)}${transfer.routine_name ? ` for ${transfer.routine_name}` : ""}`;
  if (transfer.meaning === "succeeded") return `${what} has arrived.`;
  if (didNotArrive(transfer)) return `${what} did not arrive: ${wordsOf(transfer.failure_reason ?? "no_reason")}.`;
  return `${what} is on its way.`;
}
