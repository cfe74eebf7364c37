import { centsOf } from "#client";
import { words } from "#words";
import { refreshMissingAccounts, refreshSellers } from "../connections/connected-users.ts";
import type { Partner } from "../partner.ts";
import { waitAtMost } from "../requests/wait-at-most.ts";
import { isClosedAccount } from "../statuses.ts";
import { listPayableSellers } from "../storage/service-users.ts";
import { compareRoutinesWhenDue } from "./compare-routines.ts";
import { sellerChoices } from "./routine-view.ts";

const waitMs = 2000;

/**
 * The business's open accounts, and the sellers who can be paid. `availableCents`: undefined if unknown.
 * `areSellersWhole`: no seller is missing because their accounts couldn't be read.
 */
export type RoutineChoices =
  | {
      kind: "ok";
      accounts: { id: string; label: string; availableCents: number | undefined }[];
      sellers: { userId: string; name: string }[];
      areSellersWhole: boolean;
    }
  | { kind: "reauthorization_required" }
  | { kind: "unavailable"; isAnswered: boolean };

export async function readRoutineChoices(partner: Partner): Promise<RoutineChoices> {
  const [answer] = await Promise.all([
    partner.tokens.call(partner.config.businessUserId, partner.client.listAccounts),
    refreshSellers(partner),
    // Now, so that the payment won't have to wait for it.
    waitAtMost(waitMs, compareRoutinesWhenDue(partner), "comparing payments with the service failed"),
  ]);
  if (answer.kind === "reauthorization_required") return answer;
  if (answer.kind !== "ok") return { kind: "unavailable", isAnswered: answer.kind !== "unreachable" };
  const open = answer.body.items.filter(({ status }) => !isClosedAccount(status));
  if (open.length === 0 && !answer.body.isWhole) return { kind: "unavailable", isAnswered: true };
  const { areAllRead } = await refreshMissingAccounts(partner);
  const sellers = await listPayableSellers(partner.db);
  return {
    kind: "ok",
    accounts: open.map(({ id, name, mask, available_balance }) => ({
      id,
      label: labelOf(name, mask),
      availableCents: centsOf(available_balance),
    })),
    sellers: sellerChoices(sellers),
    areSellersWhole: areAllRead,
  };
}

function labelOf(name = words("payments.balance")("account"), mask?: string): string {
  return mask === undefined ? name : `${name} ···${mask}`;
}
