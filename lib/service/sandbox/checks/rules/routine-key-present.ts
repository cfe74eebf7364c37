import { judgeEach, type Rule } from "../rule.ts";

/** A payment without a key cannot be sent again safely when its answer is lost. */
export const routineKeyPresent: Rule = {
  id: "routine-key-present",
  title: "Sends an idempotency key with every routine",
  clauses: ["I.create-a-book-transfer-routine.3", "D13.8", "D21.4"],
  isAdvice: false,
  whatToDo:
    "Make a UUID for each payment before you send it, store it with the payment, and send it as Idempotency-Key.",
  judge: ({ calls }) =>
    judgeEach(
      calls.filter(({ operation }) => operation === "createBookRoutine"),
      ({ facts }) => (facts.idempotency_key === null ? "broken" : "kept"),
    ),
};
