import { judgeEach, type Rule } from "../rule.ts";

/** Addresses end up in logs, histories and referrers, so no credential may be in one. */
export const noCredentialsInAddresses: Rule = {
  id: "no-credentials-in-addresses",
  title: "Puts no token, code or secret into the address of a call",
  clauses: ["I.authentication.1", "I.authentication.2", "D10.4"],
  isAdvice: false,
  whatToDo:
    "Send client credentials and access tokens in the authorization header, and codes and refresh tokens in the body. Consider what was in an address as known to others: revoke it.",
  judge: ({ calls }) =>
    judgeEach(calls, ({ facts }) => {
      if (facts.has_credential_in_url) return "broken";
      return facts.authorization === "none" ? undefined : "kept";
    }),
};
