import { randomUUID } from "node:crypto";
import type * as z from "zod/mini";
import { decisionOf, type Refused } from "#client";
import { brandName } from "../../../brand/name.ts";
import type { FieldProblem } from "../../contract/errors.ts";
import type { CreateUserIntentRequest } from "../../contract/people.ts";
import { userIntentStatuses } from "../../contract/statuses.ts";
import { newTraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import { type ActionResult, troubleOf } from "../requests/form-state.ts";
import type { Browser } from "../requests/partner-action.ts";
import { completeOnboarding, reserveOnboarding, type Submission, takeBackSubmission } from "../storage/onboardings.ts";
import type { Person } from "../storage/people.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";
import { customerIdKey, shopKey } from "./metadata-pairs.ts";
import { type OnboardingValues, onboardingForm, ownPairsOf } from "./onboarding-fields.ts";

/** The form at `/onboarding`: on to the page that waits, or which fields to look at. */
export async function submitOnboarding(
  partner: Partner,
  { idempotency_key, ...values }: z.output<typeof onboardingForm>,
  person: Person,
  { clientAddress }: Pick<Browser, "clientAddress">,
): Promise<ActionResult> {
  const started = await startOnboarding(partner, person, values, { idempotencyKey: idempotency_key, clientAddress });
  switch (started.kind) {
    case "submitted":
      return { redirectTo: "/onboarding/status" };
    case "invalid":
      return { problems: started.problems };
    case "not_permitted":
      return troubleOf(
        "We can't open a payment account for you",
        "Our payment service does not allow one for this phone number. Please contact our support.",
      );
    case "refused":
      return started.isTemporary
        ? troubleOf(
            "Your details were not sent",
            "Our payment service cannot take them right now. Please try again in a minute.",
          )
        : troubleOf(
            "Your details were not accepted",
            "Our payment service did not take them, and no account was opened. Please contact our support.",
          );
    case "unanswered":
      return troubleOf(
        "We don't know whether your details arrived",
        `${sentenceOfSilence(started)} Please send them again in a minute. Sending them twice does no harm.`,
      );
  }
}

function sentenceOfSilence({ isSilent }: { isSilent: boolean }): string {
  return isSilent
    ? "Our payment service did not answer."
    : "Our payment service answered, but did not say whether it has them.";
}

/** What became of a form that was sent. */
export type StartedOnboarding =
  /** The person has an intent now, made by this call or by an earlier one. */
  | { kind: "submitted" }
  /** Nothing was made; `field` is the form's, as `metadata.0.key`, or `form` for the whole. */
  | { kind: "invalid"; problems: FieldProblem[] }
  /** The service will not have this person. */
  | { kind: "not_permitted" }
  /** Nothing was made, for no reason that the person could mend. `isTemporary`: it may work in a minute. */
  | { kind: "refused"; isTemporary: boolean }
  /**
   * Whether an intent was made is not known. Sending the same again is safe, also where the service does not know its key: a
   * second intent moves no money, and its person can authorize one of them only. `isSilent`: nothing came at all.
   */
  | { kind: "unanswered"; isSilent: boolean };

/**
 * Registers a person with the service. Two calls with one idempotency key, as from a double click or a retry, make one
 * intent. The ssn, date of birth and address pass through and are kept nowhere here.
 */
export async function startOnboarding(
  partner: Partner,
  person: Person,
  values: OnboardingValues,
  { idempotencyKey, clientAddress }: { idempotencyKey: string; clientAddress: string },
): Promise<StartedOnboarding> {
  const request = requestOf(person, values, clientAddress);
  const sent = await send(partner, request, { personId: person.id, idempotencyKey, traceId: newTraceId() });
  if (sent === "not_needed") return { kind: "submitted" };
  const { answer, submission } = sent;
  switch (answer.kind) {
    case "ok": {
      const status = userIntentStatuses.find((known) => known === answer.body.status) ?? "pending";
      await completeOnboarding(partner.db, submission, { userIntentId: answer.body.id, status });
      return { kind: "submitted" };
    }
    case "unreadable": {
      // It was made. With its id it can be followed, whatever else was said.
      const { id: userIntentId } = answer.ids;
      if (userIntentId === undefined) return { kind: "unanswered", isSilent: false };
      await completeOnboarding(partner.db, submission, { userIntentId, status: "pending" });
      return { kind: "submitted" };
    }
    case "unreachable":
      if (decisionOf(answer) === "unknown") return { kind: "unanswered", isSilent: true };
      await partner.inTransaction((tx) => takeBackSubmission(tx, submission, { forget: false }));
      return { kind: "refused", isTemporary: true };
    case "refused": {
      // The first of two clicks is still under way and will see it through.
      if (answer.reason === "idempotency_in_progress") return { kind: "submitted" };
      const decision = decisionOf(answer);
      if (decision === "unknown") return { kind: "unanswered", isSilent: false };
      // What is about our own credential, or how often we come, is not about what was sent.
      await partner.inTransaction((tx) => takeBackSubmission(tx, submission, { forget: decision === "definite" }));
      return decision === "temporary" ? { kind: "refused", isTemporary: true } : outcomeOf(answer, values);
    }
  }
}

/** `not_needed` when the person has an intent or a user already, even one rejected after they authorized. */
async function send(partner: Partner, request: CreateUserIntentRequest, submission: Submission) {
  if (await findServiceUserOfPerson(partner.db, submission.personId)) return "not_needed";
  if (!(await reserveOnboarding(partner.db, submission))) return "not_needed";
  const answer = await partner.client.createUserIntent(request, submission);
  if (answer.kind !== "refused" || answer.reason !== "idempotency_key_reused") return { answer, submission };
  // An earlier request arrived after all, and with other details. These are the ones that count: Decision D6 lets a person
  // have a second intent, under a key of its own.
  const renewed = { ...submission, idempotencyKey: randomUUID() };
  if (!(await reserveOnboarding(partner.db, renewed))) return "not_needed";
  return { answer: await partner.client.createUserIntent(request, renewed), submission: renewed };
}

function requestOf(person: Person, values: OnboardingValues, clientAddress: string): CreateUserIntentRequest {
  const { address2, shop: _shop, metadata: _metadata, ...fields } = values;
  const ownPairs = ownPairsOf(values).map(({ key, value }) => [key, value]);
  return {
    ...fields,
    ...(address2 && { address2 }),
    phone: person.phone,
    email: person.email,
    // A socket that speaks both families writes IPv4 addresses as ::ffff:192.0.2.1.
    ip_address: clientAddress.replace(/^::ffff:(?=\d+\.)/, ""),
    metadata: Object.fromEntries([...ownPairs, [customerIdKey, person.id]]),
  };
}

function outcomeOf({ reason, errors }: Refused, values: OnboardingValues): StartedOnboarding {
  if (reason === "person_not_permitted") return { kind: "not_permitted" };
  if (reason !== "validation_failed" || errors.length === 0) return { kind: "refused", isTemporary: false };
  return { kind: "invalid", problems: formProblems(errors, values) };
}

const notAccepted = "Our payment service did not accept this answer. Please check it.";
const notAcceptedAtAll = `Our payment service did not accept what ${brandName} sent with your answers, and no account was opened. Please contact us.`;

/**
 * The request's fields are the form's, but for metadata, a list there, and for what the form does not ask. The service's
 * own sentences are for developers and stay in the log.
 */
function formProblems(problems: FieldProblem[], { metadata }: OnboardingValues): FieldProblem[] {
  return problems.map(({ field: refused }) => {
    const field = formField(refused, metadata);
    return { field, message: field === "form" ? notAcceptedAtAll : notAccepted };
  });
}

function formField(field: string, metadata: OnboardingValues["metadata"]): string {
  if (!field.startsWith("metadata")) return field in onboardingForm.shape ? field : "form";
  const index = metadata.findIndex(({ key }) => field === `metadata.${key}`);
  if (index >= 0) return `metadata.${index}.value`;
  return field === `metadata.${shopKey}` ? "shop" : "metadata";
}
