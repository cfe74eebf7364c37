import { limits } from "../../../../contract/limits.ts";
import { isSuccess, isTemporary } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";

/** An old webhook may have been recorded by somebody and sent again. */
export const webhookStaleRefused: Rule = {
  id: "webhook-stale-refused",
  title: "Refuses a webhook whose timestamp is old",
  clauses: ["D14.2"],
  isAdvice: false,
  whatToDo: `Refuse a webhook whose webhook-timestamp is more than ${limits.webhookToleranceSeconds / 60} minutes away from your clock. The package standardwebhooks does it.`,
  judge: ({ deliveries }) =>
    judgeEach(
      deliveries.filter(({ facts }) => facts.fault === "stale"),
      ({ status }) => {
        if (isSuccess(status)) return "broken";
        return status !== null && status < 500 && !isTemporary(status) ? "kept" : undefined;
      },
    ),
};
