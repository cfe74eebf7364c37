import { isSuccess, isTemporary } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";

/** Whoever knows the address can send anything; only the signature tells. */
export const webhookTamperedRefused: Rule = {
  id: "webhook-tampered-refused",
  title: "Refuses a webhook that was changed on the way",
  clauses: ["D14.2"],
  isAdvice: false,
  whatToDo:
    "Verify the signature of each webhook, over the raw bytes and in constant time, before you read the body. The package standardwebhooks does it.",
  judge: ({ deliveries }) =>
    judgeEach(
      deliveries.filter(({ facts }) => facts.fault === "tamper"),
      ({ status }) => {
        if (isSuccess(status)) return "broken";
        return status !== null && status < 500 && !isTemporary(status) ? "kept" : undefined;
      },
    ),
};
