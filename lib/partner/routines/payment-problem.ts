import type { ReauthorizationRequired, Refused } from "#client";
import { words } from "#words";
import { type FormState, problemAt } from "../requests/form-state.ts";
import type { RoutineState } from "../storage/schema.ts";
import { paymentFields } from "./payment-fields.ts";

/**
 * Why no payment was made. `used_key`: its key was sent with other details. `twin`: the same payment may have been made.
 * `comparing`: Harbor must first compare its payments with the service's. `found`: the service already has it.
 * `not_sent`: its request never left.
 */
export type PaymentProblem =
  | { kind: "seller_not_payable" | "comparing" | "not_sent" }
  | { kind: "used_key" | "found"; routineId: string }
  | { kind: "twin"; routineId: string; state: RoutineState }
  | Refused
  | ReauthorizationRequired;

/** A problem in words for the operator. `connectAt` is the page that connects the business and then continues. */
export function formOfProblem(problem: PaymentProblem, connectAt?: string): FormState {
  const t = words("pay.problems");
  switch (problem.kind) {
    case "seller_not_payable":
      return problemAt("seller_user_id", t("sellerNotPayable"));
    case "comparing":
      return problemAt("form", t("comparing"), { title: t("comparingTitle") });
    case "not_sent":
      return problemAt("form", t("notSent"));
    case "used_key":
      return problemAt("form", t("alreadySent"), { link: linkTo(problem.routineId) });
    case "found":
      return problemAt("form", t("found"), { link: linkTo(problem.routineId), title: t("foundTitle") });
    case "twin":
      return duplicateProblem(problem);
    default:
      return refusalProblem(problem, connectAt);
  }
}

export function linkTo(routineId: string) {
  return { href: `/routines/${routineId}`, label: words("pay.problems")("viewPayment") };
}

function duplicateProblem({ routineId, state }: { routineId: string; state: RoutineState }): FormState {
  const t = words("pay.problems");
  const link = linkTo(routineId);
  if (state === "conflicting") {
    return problemAt("form", t("conflicting"), { link, title: t("conflictingTitle"), isUnknown: true });
  }
  if (state === "succeeded") return problemAt("form", t("arrived"), { link, title: t("arrivedTitle") });
  return problemAt("form", t("unknown"), { link, title: t("unknownTitle"), isUnknown: true });
}

/** A refused payment in words for the operator, at the field that can fix it. */
function refusalProblem(refusal: Refused | ReauthorizationRequired, connectAt = "/business"): FormState {
  const t = words("pay.problems");
  if (refusal.kind === "reauthorization_required") {
    const link = { href: connectAt, label: words("connection")("connectBusiness") };
    return problemAt("form", t("notConnected"), { link });
  }
  if (refusal.status === 429) return problemAt("form", t("busy"));
  switch (refusal.reason) {
    case "validation_failed":
      return fieldProblems(refusal);
    case "insufficient_funds":
      return problemAt("amount", t("insufficient"));
    case "instrument_not_usable":
      return problemAt("seller_user_id", t("closed"));
    case "not_found":
      return problemAt("seller_user_id", t("gone"));
    case "user_not_approved":
      return problemAt("form", t("notApproved"));
    default:
      return problemAt("form", t("refused"));
  }
}

// The destination is the seller's account. Fields that the form doesn't have are dropped.
function fieldProblems({ errors }: Refused): FormState {
  const t = words("pay.problems");
  const fields = errors.map(({ field }) => (field === "destination_id" ? "seller_user_id" : field));
  const problems = [...new Set(fields)]
    .filter((field) => field in paymentFields.shape)
    .map((field) => ({ field, message: t("notAccepted") }));
  return problems.length > 0 ? { problems } : problemAt("form", t("refused"));
}
