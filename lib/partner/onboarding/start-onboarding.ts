import { randomUUID } from "node:crypto";
import type { FieldProblem } from "../../contract/errors.ts";
import { userIntentStatuses } from "../../contract/statuses.ts";
import type { CreateUserIntentRequest } from "../../contract/user-intent.ts";
import { newTraceId } from "../../kit/trace.ts";
import type { Refused } from "../service-client/call-service.ts";
import { createUserIntent } from "../service-client/user-intents.ts";
import { database, inTransaction } from "../storage/database.ts";
import { completeOnboarding, reserveOnboarding, type Submission, takeBackSubmission } from "../storage/onboardings.ts";
import type { Person } from "../storage/people.ts";
import { customerIdKey, type OnboardingValues, onboardingForm } from "./onboarding-fields.ts";

export type StartedOnboarding =
  /** The person has an intent now, made by this call or by an earlier one. */
  | { kind: "submitted" }
  /** Nothing was made; `field` is the form's, as `metadata.0.key`, or `form` for the whole. */
  | { kind: "invalid"; problems: FieldProblem[] }
  /** The service will not have this person. */
  | { kind: "not_permitted" }
  /** Whether something was made is not known; sending the same again with the same key finds out. */
  | { kind: "unavailable" };

/**
 * Registers a person with the service. Two calls with one idempotency key, as from a double click or a retry, make one
 * intent. The ssn, date of birth and address pass through and are kept nowhere here.
 */
export async function startOnboarding(
  person: Person,
  values: OnboardingValues,
  { idempotencyKey, clientAddress }: { idempotencyKey: string; clientAddress: string },
): Promise<StartedOnboarding> {
  const request = requestOf(person, values, clientAddress);
  const sent = await send(request, { personId: person.id, idempotencyKey, traceId: newTraceId() });
  if (sent === "not_needed") return { kind: "submitted" };
  const { answer, submission } = sent;
  switch (answer.kind) {
    case "ok": {
      const status = userIntentStatuses.find((known) => known === answer.body.status) ?? "pending";
      await completeOnboarding(database(), submission, { userIntentId: answer.body.id, status });
      return { kind: "submitted" };
    }
    case "unreachable":
      return { kind: "unavailable" };
    case "refused":
      // The first of two clicks is still under way and will see it through.
      if (answer.reason === "idempotency_in_progress") return { kind: "submitted" };
      if (isAnswer(answer)) {
        await inTransaction((tx) => takeBackSubmission(tx, submission, { forget: isAboutWhatWasSent(answer) }));
      }
      return outcomeOf(answer, values);
  }
}

// A 5xx may come from something in between that knows less than the service; 409 means that the key is still worked on.
function isAnswer({ status }: Refused): boolean {
  return status < 500 && status !== 409;
}

// And not about our own credentials (401) or how often we come (429), which pass.
function isAboutWhatWasSent({ status }: Refused): boolean {
  return status !== 401 && status !== 429;
}

/** `not_needed` when the person has an intent already. */
async function send(request: CreateUserIntentRequest, submission: Submission) {
  if (!(await reserveOnboarding(database(), submission))) return "not_needed";
  const answer = await createUserIntent(request, submission);
  if (answer.kind !== "refused" || answer.reason !== "idempotency_key_reused") return { answer, submission };
  // An earlier request arrived after all, and with other details. These are the ones that count: Decision D6 lets a person
  // have a second intent, under a key of its own.
  const renewed = { ...submission, idempotencyKey: randomUUID() };
  if (!(await reserveOnboarding(database(), renewed))) return "not_needed";
  return { answer: await createUserIntent(request, renewed), submission: renewed };
}

function requestOf(person: Person, values: OnboardingValues, clientAddress: string): CreateUserIntentRequest {
  const { address2, metadata, ...fields } = values;
  const ownPairs = metadata.map(({ key, value }) => [key, value]);
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
  if (reason !== "validation_failed" || errors.length === 0) return { kind: "unavailable" };
  return { kind: "invalid", problems: formProblems(errors, values) };
}

/** The request's fields are the form's, but for metadata, a list there, and for what the form does not ask. */
function formProblems(problems: FieldProblem[], { metadata }: OnboardingValues): FieldProblem[] {
  return problems.map(({ field, message }) => {
    if (!field.startsWith("metadata")) return { field: field in onboardingForm.shape ? field : "form", message };
    const index = metadata.findIndex(({ key }) => field === `metadata.${key}`);
    return { field: index < 0 ? "metadata" : `metadata.${index}.value`, message };
  });
}
