import { isIncomplete, recordsOf } from "../customers.ts";
import { judgeEach, type Rule } from "../rule.ts";

/** A customer record has five fields, and each is needed. */
export const customerRecordWhole: Rule = {
  id: "customer-record-whole",
  title: "Answers with all five fields of the customer record",
  clauses: [
    "I.customer-record.1",
    "I.customer-record.2",
    "I.customer-record.3",
    "I.customer-record.4",
    "I.get-v1-customers-{customer-id}.2",
  ],
  isAdvice: false,
  whatToDo: "Answer with customer_id, first_name, last_name, phone and lastAuthenticationTime, each a text.",
  judge: (history) => judgeEach(recordsOf(history), (event) => (isIncomplete(event) ? "broken" : "kept")),
};
