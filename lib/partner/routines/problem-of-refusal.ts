import type { Refused } from "../service-client/call-service.ts";
import type { ReauthorizationRequired } from "../tokens/refresh-access-token.ts";
import type { RoutineField, RoutineProblem } from "./routine-form.ts";

/** A refusal of the service in the operator's words, beside the field where it can be put right. */
export function problemOfRefusal(refusal: Refused | ReauthorizationRequired): RoutineProblem {
  if (refusal.kind === "reauthorization_required") {
    return {
      kind: "problem",
      fields: {},
      form: "The business is not connected. Connect it, then pay.",
      mustReconnect: true,
    };
  }
  if (refusal.status === 429) return above("The service is busy. Nothing was paid; please try again in a minute.");
  switch (refusal.reason) {
    case "validation_failed":
      return problemOfFields(refusal);
    case "insufficient_funds":
      return beside("amount", "The account does not have this much available.");
    case "instrument_not_usable":
      return beside("sellerUserId", "One of the two accounts is closed. Choose another seller or account.");
    case "not_found":
      return beside("sellerUserId", "The service does not know one of the two accounts any more.");
    case "user_not_approved":
      return above("The business is not approved to send money at the moment.");
    default:
      return above("The service refused this payment, and nothing was sent. Its reason is in the log.");
  }
}

const fieldsByWireName: Record<string, RoutineField> = {
  name: "name",
  amount: "amount",
  source_id: "sourceId",
  destination_id: "sellerUserId",
};

function problemOfFields({ errors, description }: Refused): RoutineProblem {
  const fields: RoutineProblem["fields"] = {};
  for (const { field, message } of errors) {
    const name = fieldsByWireName[field];
    if (name) fields[name] ??= message;
  }
  return Object.keys(fields).length > 0 ? { kind: "problem", fields } : above(description);
}

function beside(field: RoutineField, message: string): RoutineProblem {
  return { kind: "problem", fields: { [field]: message } };
}

function above(form: string): RoutineProblem {
  return { kind: "problem", fields: {}, form };
}
