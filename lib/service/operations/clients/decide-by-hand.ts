import { personDecision } from "../../../contract/operator.ts";
import { decideUserIntentWithin, decideUserWithin } from "../people/decide-person.ts";
import { type ClientChangeOperation, refused } from "./audited-change.ts";

/** Decides a person by hand, with the same webhooks as a screening. */
export const decideByHand: ClientChangeOperation<typeof personDecision> = {
  action: "decide",
  body: personDecision,
  apply: async (tx, { id: clientId }, { user_intent_id, user_id, status, rejection_reasons = [] }, { traceId }) => {
    const decision = { status, rejectionReasons: rejection_reasons };
    const field = user_id === undefined ? "user_intent_id" : "user_id";
    const id = (user_id ?? user_intent_id ?? "").toLowerCase();
    const outcome = await (user_id === undefined && status !== "suspended"
      ? decideUserIntentWithin(tx, { id, clientId }, { ...decision, status })
      : decideUserWithin(tx, { id, clientId, traceId }, decision));
    switch (outcome.kind) {
      case "not_found":
        return refused(field, "This client has no such person.");
      case "illegal_transition":
        return refused("status", "This status cannot follow the current one.");
      case "decided":
        return { kind: "applied", details: { [field]: id, status, rejection_reasons } };
    }
  },
};
