import { randomUUID } from "node:crypto";
import type * as z from "zod/mini";
import { decisionOf, type Refused } from "#client";
import { words } from "#words";
import type { FieldProblem } from "../../contract/errors.ts";
import type { CreateUserIntentRequest } from "../../contract/people.ts";
import { userIntentStatuses } from "../../contract/statuses.ts";
import { newTraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import { type ActionResult, type FormState, problemAt } from "../requests/form-state.ts";
import type { Browser } from "../requests/partner-action.ts";
import {
  completeOnboarding,
  findOpenOnboarding,
  reserveOnboarding,
  revertSubmission,
  type Submission,
} from "../storage/onboardings.ts";
import type { Person } from "../storage/people.ts";
import { customerIdKey, shopKey } from "./metadata-pairs.ts";
import { type OnboardingValues, onboardingForm, ownPairsOf } from "./onboarding-fields.ts";

export async function submitOnboarding(
  partner: Partner,
  { idempotency_key, ...values }: z.output<typeof onboardingForm>,
  person: Person,
  { clientAddress }: Pick<Browser, "clientAddress">,
): Promise<ActionResult> {
  const started = await startOnboarding(partner, person, values, { idempotencyKey: idempotency_key, clientAddress });
  return started.kind === "submitted" ? { redirectTo: "/onboarding/status" } : formAbout(started);
}

function formAbout(outcome: Exclude<StartedOnboarding, { kind: "submitted" }>): FormState {
  const t = words("onboarding.problems");
  switch (outcome.kind) {
    case "already_sent":
      return problemAt("form", t("alreadySent"), {
        title: t("alreadySentTitle"),
        link: { href: "/onboarding/status", label: t("alreadySentLink") },
      });
    case "invalid":
      return { problems: outcome.problems };
    case "not_permitted":
      return problemAt("form", t("notPermitted"), { title: t("notPermittedTitle") });
    case "refused":
      return outcome.isTemporary
        ? problemAt("form", t("notSent"), { title: t("notSentTitle") })
        : problemAt("form", t("notAccepted"), { title: t("notAcceptedTitle") });
    case "unanswered":
      return problemAt("form", t(outcome.isSilent ? "silent" : "unclear"), { title: t("unknownTitle") });
  }
}

export type StartedOnboarding =
  /** The person has an intent, made by this submission or an earlier one with its key. */
  | { kind: "submitted" }
  /** The person already has an intent or user from another submission, so nothing was sent. */
  | { kind: "already_sent" }
  /** No intent was made. Fields are the form's, like `metadata.0.key`, or `form`. */
  | { kind: "invalid"; problems: FieldProblem[] }
  | { kind: "not_permitted" }
  /** No intent was made, and the person can't fix it. `isTemporary`: worth retrying in a minute. */
  | { kind: "refused"; isTemporary: boolean }
  /**
   * The intent may or may not exist. Resending is safe even without idempotency: a second intent moves no money, and
   * only one of the two can be authorized. `isSilent`: there was no answer at all.
   */
  | { kind: "unanswered"; isSilent: boolean };

/** Creates the person's user intent, once per idempotency key. The ssn, date of birth and address are never stored here. */
export async function startOnboarding(
  partner: Partner,
  person: Person,
  values: OnboardingValues,
  { idempotencyKey, clientAddress }: { idempotencyKey: string; clientAddress: string },
): Promise<StartedOnboarding> {
  const request = requestOf(person, values, clientAddress);
  const sent = await send(partner, request, { personId: person.id, idempotencyKey, traceId: newTraceId() });
  if (sent === "not_needed") {
    const earlier = await findOpenOnboarding(partner.db, person.id);
    return { kind: earlier?.idempotencyKey === idempotencyKey ? "submitted" : "already_sent" };
  }
  const { answer, submission } = sent;
  switch (answer.kind) {
    case "ok": {
      const { id: userIntentId, rejection_reasons: rejectionReasons = [] } = answer.body;
      const status = userIntentStatuses.find((known) => known === answer.body.status) ?? "pending";
      await completeOnboarding(partner.db, submission, { userIntentId, status, rejectionReasons });
      return { kind: "submitted" };
    }
    case "unreadable": {
      // The call succeeded: the intent exists, and its id is enough to follow it.
      const { id: userIntentId } = answer.ids;
      if (userIntentId === undefined) return { kind: "unanswered", isSilent: false };
      await completeOnboarding(partner.db, submission, { userIntentId, status: "pending" });
      return { kind: "submitted" };
    }
    case "unreachable":
      if (decisionOf(answer) === "unknown") return { kind: "unanswered", isSilent: true };
      await partner.inTransaction((tx) => revertSubmission(tx, submission, { forget: false }));
      return { kind: "refused", isTemporary: true };
    case "refused": {
      // The first of two clicks is still running and will finish.
      if (answer.reason === "idempotency_in_progress") return { kind: "submitted" };
      const decision = decisionOf(answer);
      if (decision === "unknown") return { kind: "unanswered", isSilent: false };
      await partner.inTransaction((tx) => revertSubmission(tx, submission, { forget: decision === "definite" }));
      return decision === "temporary" ? { kind: "refused", isTemporary: true } : outcomeOf(answer, values);
    }
  }
}

/** `not_needed` if the person already has an intent or a user. */
async function send(partner: Partner, request: CreateUserIntentRequest, submission: Submission) {
  if (!(await reserveOnboarding(partner.db, submission))) return "not_needed";
  const answer = await partner.client.createUserIntent(request, submission);
  if (answer.kind !== "refused" || answer.reason !== "idempotency_key_reused") return { answer, submission };
  // An earlier request with different details got through. A second intent (Decision D6) needs its own key.
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
    // A dual-stack socket writes IPv4 addresses as ::ffff:192.0.2.1.
    ip_address: clientAddress.replace(/^::ffff:(?=\d+\.)/, ""),
    metadata: Object.fromEntries([...ownPairs, [customerIdKey, person.id]]),
  };
}

function outcomeOf({ reason, errors }: Refused, { metadata }: OnboardingValues): StartedOnboarding {
  if (reason === "person_not_permitted") return { kind: "not_permitted" };
  if (reason !== "validation_failed" || errors.length === 0) return { kind: "refused", isTemporary: false };
  // The service's own messages are for developers; they are in the log.
  const problems = errors.map((error) => {
    const field = formField(error.field, metadata);
    return { field, message: words("onboarding.problems")(field === "form" ? "request" : "answer") };
  });
  return { kind: "invalid", problems };
}

function formField(field: string, metadata: OnboardingValues["metadata"]): string {
  if (!field.startsWith("metadata")) return field in onboardingForm.shape ? field : "form";
  const index = metadata.findIndex(({ key }) => field === `metadata.${key}`);
  if (index >= 0) return `metadata.${index}.value`;
  return field === `metadata.${shopKey}` ? "shop" : "metadata";
}
