import { judgeEach, type Rule } from "../rule.ts";

/** Metadata travels in webhooks and stands in records that many systems keep. */
export const noSensitiveMetadata: Rule = {
  id: "no-sensitive-metadata",
  title: "Puts no card, account or social security number into metadata",
  clauses: ["I.metadata.9", "D6.6"],
  isAdvice: false,
  whatToDo:
    "Put only keys of your own into metadata, such as your customer's id. The service refuses what it recognizes, and it recognizes little.",
  judge: ({ calls }) =>
    judgeEach(
      calls.filter(({ operation }) => operation === "createUserIntent"),
      ({ facts }) => {
        if (facts.has_sensitive_metadata) return "broken";
        return facts.metadata_keys.length > 0 ? "kept" : undefined;
      },
    ),
};
