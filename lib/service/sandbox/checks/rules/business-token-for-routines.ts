import { isSuccess } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";

/** Only the business pays. */
export const businessTokenForRoutines: Rule = {
  id: "business-token-for-routines",
  title: "Creates routines with the business user's access token",
  clauses: ["I.create-a-book-transfer-routine.5", "I.authentication.8", "D13.2"],
  isAdvice: false,
  whatToDo:
    "Keep the business's pair apart from those of people, and create routines with it, whoever of your operators pressed the button.",
  judge: ({ calls }) =>
    judgeEach(
      calls.filter(({ operation, facts }) => operation === "createBookRoutine" && !facts.is_faulted),
      ({ status, reason }) => {
        if (reason === "business_user_required") return "broken";
        return isSuccess(status) ? "kept" : undefined;
      },
    ),
};
