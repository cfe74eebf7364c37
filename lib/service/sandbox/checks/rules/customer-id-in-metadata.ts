import type { CallEvent } from "../../../../contract/sandbox-events.ts";
import { isSuccess } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";

/** With the client's own id in it, each webhook and record says whom it is about in the client's words. */
export const customerIdInMetadata: Rule = {
  id: "customer-id-in-metadata",
  title: "Gives an intent its own customer's id as metadata",
  clauses: ["I.metadata.12", "I.metadata.10"],
  isAdvice: true,
  whatToDo:
    "Put the id of your customer into the metadata of the intent, the same that you verify the person by. Then every webhook about the person tells it.",
  judge: ({ calls }) => {
    const intents = new Map(
      calls.flatMap((call) =>
        call.operation === "createUserIntent" && isSuccess(call.status) && call.facts.resource_id !== null
          ? [[call.facts.resource_id, call] as const]
          : [],
      ),
    );
    return judgeEach(
      calls.filter(({ operation, facts }) => operation === "verifyPartnerIdentity" && facts.customer_id !== null),
      (verification) => {
        const intent = intents.get(intentOf(verification) ?? "");
        if (!intent || verification.facts.customer_id === null) return undefined;
        return intent.facts.metadata_fingerprints.includes(verification.facts.customer_id) ? "kept" : "broken";
      },
    );
  },
};

function intentOf({ joins }: CallEvent): string | undefined {
  return joins.find((join) => join.startsWith("intent:"))?.slice("intent:".length);
}
