import { limits } from "../../../../contract/limits.ts";
import type { CustomerEvent } from "../../../../contract/sandbox-events.ts";
import { clientTimeOf, endOf, type History, isSuccess, isTemporary } from "../history.ts";
import { judgeEach, judgePace, type Rule } from "../rule.ts";

const customerAnswered: Rule = {
  id: "customer-answered",
  title: "Returns its customers successfully",
  clauses: ["I.get-v1-customers-{customer-id}.1", "I.authentication.10", "D11.2"],
  whatToDo:
    "Answer GET /v1/customers/{customer_id} with 200 for every customer id you send to identity verification, before you send it.",
  judge: (history) => {
    const answered = new Set(recordsOf(history));
    return judgeEach(requestsOf(history), (event) => {
      if (answered.has(event)) return "kept";
      // A failed connection is an outage, unless the endpoint never worked.
      if (event.status === null || event.status === 200) return answered.size > 0 ? undefined : "broken";
      return isTemporary(event.status) ? undefined : "broken";
    });
  },
};

const customerWithinASecond: Rule = {
  id: "customer-within-a-second",
  title: "Returns its customers within a second",
  clauses: ["D11.2", "D21.3"],
  whatToDo: `Answer from your own database only. A person is waiting, and after ${limits.customerEndpointTimeoutMs / 1000} seconds the verification fails.`,
  judge: (history) => judgePace(requestsOf(history).filter(({ status }) => isSuccess(status))),
};

const customerRecordWhole: Rule = {
  id: "customer-record-whole",
  title: "Returns all five fields of the customer record",
  clauses: [
    "I.customer-record.1",
    "I.customer-record.2",
    "I.customer-record.3",
    "I.customer-record.4",
    "I.get-v1-customers-{customer-id}.2",
  ],
  whatToDo: "Return customer_id, first_name, last_name, phone and lastAuthenticationTime, each as a string.",
  judge: (history) => judgeEach(recordsOf(history), (event) => (isIncomplete(event) ? "broken" : "kept")),
};

const customerTimeExact: Rule = {
  id: "customer-time-exact",
  title: "Formats lastAuthenticationTime in UTC with milliseconds",
  clauses: ["I.customer-record.5"],
  whatToDo: "Format it as 2026-01-31T09:30:00.000Z: ISO 8601, three decimals, in UTC with Z or +00:00.",
  judge: (history) =>
    judgeEach(recordsOf(history), (event) => {
      const { has_milliseconds, is_utc } = event.facts;
      if (has_milliseconds === false || is_utc === false || isTimeRefused(event)) return "broken";
      return has_milliseconds && is_utc ? "kept" : undefined;
    }),
};

const customerTimePast: Rule = {
  id: "customer-time-past",
  title: "Sends a lastAuthenticationTime that isn't in the future",
  clauses: ["I.customer-record.5", "D11.3"],
  whatToDo:
    "Convert the time to UTC before you format it: local time with a Z after it is hours off. A time in the future isn't trusted, so the person is asked for a code.",
  judge: (history) =>
    judgeEach(recordsOf(history), (event) => {
      const { seconds_ahead, is_utc } = event.facts;
      if (seconds_ahead === null || !is_utc || isTimeRefused(event)) return undefined;
      const clientAheadSeconds = (clientTimeOf(event) - endOf(event)) / 1000;
      return seconds_ahead - clientAheadSeconds > limits.trustedAuthenticationAheadSeconds ? "broken" : "kept";
    }),
};

const customerMatches: Rule = {
  id: "customer-matches",
  title: "Describes each customer the same way in both places",
  clauses: ["D11.2"],
  whatToDo:
    "Return the customer_id you were asked for, and the phone that the person was submitted with. A verification whose record differs is refused with customer_mismatch.",
  judge: ({ calls }) =>
    judgeEach(
      calls.filter(({ operation }) => operation === "verifyPartnerIdentity"),
      ({ status, reason }) => {
        if (isSuccess(status)) return "kept";
        return reason === "customer_mismatch" ? "broken" : undefined;
      },
    ),
};

const customerUnknownNotFound: Rule = {
  id: "customer-unknown-not-found",
  title: "Returns 404 for an unknown customer",
  clauses: ["I.get-v1-customers-{customer-id}.1", "D21.4"],
  whatToDo: "Return 404 for any id that isn't yours, regardless of its format, and never an empty record.",
  judge: ({ customers }) =>
    judgeEach(
      customers.filter(({ facts }) => facts.probe === "unknown_customer"),
      ({ status }) => {
        if (status === null || isTemporary(status)) return undefined;
        return status === 404 || status === 410 ? "kept" : "broken";
      },
    ),
};

const customerSecretRequired: Rule = {
  id: "customer-secret-required",
  title: "Requires the secret at its customer endpoint",
  clauses: ["D11.2", "D21.4"],
  whatToDo:
    "Compare the bearer secret of each request with yours in constant time, and return 401 on a mismatch before you look up the customer.",
  judge: ({ customers }) =>
    judgeEach(
      customers.filter(({ facts }) => facts.probe === "no_credentials" || facts.probe === "wrong_credentials"),
      ({ status }) => {
        if (isSuccess(status)) return "broken";
        return status === 401 || status === 403 || status === 404 ? "kept" : undefined;
      },
    ),
};

export const customerRules: readonly Rule[] = [
  customerAnswered,
  customerWithinASecond,
  customerRecordWhole,
  customerTimeExact,
  customerTimePast,
  customerMatches,
  customerUnknownNotFound,
  customerSecretRequired,
];

/** Requests for the client's own customers with the right secret, without probes. */
function requestsOf({ customers }: History): CustomerEvent[] {
  return customers.filter(({ facts }) => facts.probe === null);
}

/** Those answered with 200 and a whole body, right or wrong. */
function recordsOf(history: History): CustomerEvent[] {
  return requestsOf(history).filter(
    ({ status, facts }) => status === 200 && facts.problems.every((problem) => contentProblems.has(problem)),
  );
}

const fields = ["customer_id", "first_name", "last_name", "phone"];
const unreadable = ["not_json", "answer_too_large", "customer_id_differs"];
const timeField = "lastAuthenticationTime";
const contentProblems = new Set([...fields, ...unreadable, timeField, "not_a_customer_record", "phone_differs"]);

/** Whether the service couldn't read the time that was written. */
function isTimeRefused({ facts: { problems, has_milliseconds } }: CustomerEvent): boolean {
  return has_milliseconds !== null && problems.includes(timeField);
}

/** Whether the record has a problem other than its time format. */
function isIncomplete({ facts: { problems, has_milliseconds } }: CustomerEvent): boolean {
  if ([...fields, ...unreadable].some((name) => problems.includes(name))) return true;
  // Without field names or a readable time, the answer isn't a record at all.
  return problems.includes("not_a_customer_record") && has_milliseconds === null;
}
