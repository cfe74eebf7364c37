import { recordsOf } from "../customers.ts";
import { judgeEach, type Rule } from "../rule.ts";

/** The time of the last login decides whether a person is asked for a code, so there must be one way to read it. */
export const customerTimeExact: Rule = {
  id: "customer-time-exact",
  title: "Writes lastAuthenticationTime with milliseconds and in UTC",
  clauses: ["I.customer-record.5"],
  isAdvice: false,
  whatToDo: "Write it as 2026-01-31T09:30:00.000Z: ISO 8601, three decimals, in UTC with Z or +00:00 at the end.",
  judge: (history) =>
    judgeEach(recordsOf(history), ({ facts: { has_milliseconds, is_utc } }) => {
      if (has_milliseconds === false || is_utc === false) return "broken";
      return has_milliseconds && is_utc ? "kept" : undefined;
    }),
};
