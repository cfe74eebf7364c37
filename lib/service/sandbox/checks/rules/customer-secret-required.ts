import { isSuccess } from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";

/** Who a customer is, is for the service alone. */
export const customerSecretRequired: Rule = {
  id: "customer-secret-required",
  title: "Tells nobody about a customer without the right credentials",
  clauses: ["D11.2", "D21.4"],
  isAdvice: false,
  whatToDo:
    "Compare the bearer secret of each request with yours, in constant time, and answer 401 to any other, before you look for the customer.",
  judge: ({ customers }) =>
    judgeEach(
      customers.filter(({ facts }) => facts.probe === "no_credentials" || facts.probe === "wrong_credentials"),
      ({ status }) => {
        if (isSuccess(status)) return "broken";
        return status === 401 || status === 403 || status === 404 ? "kept" : undefined;
      },
    ),
};
