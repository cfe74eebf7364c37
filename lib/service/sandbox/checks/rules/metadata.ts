import type { CallEvent } from "../../../../contract/sandbox-events.ts";
import { isSuccess } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";

const noSensitiveMetadata: Rule = {
  id: "no-sensitive-metadata",
  title: "Puts no card, account, or Social Security number in metadata",
  clauses: ["I.metadata.9", "D6.6"],
  whatToDo:
    "Only put your own ids in metadata, such as your customer id. The service rejects sensitive data only when it recognizes it, so don't rely on that.",
  judge: ({ calls }) =>
    judgeEach(
      calls.filter(({ operation }) => operation === "createUserIntent"),
      ({ facts }) => {
        if (facts.has_sensitive_metadata) return "broken";
        return facts.metadata_keys.length > 0 ? "kept" : undefined;
      },
    ),
};

const customerIdInMetadata: Rule = {
  id: "customer-id-in-metadata",
  title: "Puts its customer id in an intent's metadata",
  clauses: ["I.metadata.12", "I.metadata.10"],
  isAdvice: true,
  whatToDo:
    "Put your customer id in the intent's metadata, the same id you verify the person by. Every webhook about the person then includes it.",
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

export const metadataRules: readonly Rule[] = [noSensitiveMetadata, customerIdInMetadata];
