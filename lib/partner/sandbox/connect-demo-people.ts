import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { AuthorizationSubject } from "#client";
import { log } from "../../kit/log.ts";
import { callbackAddress, completeAuthorization } from "../authorization/finish-authorization.ts";
import { openAuthorization } from "../authorization/start-authorization.ts";
import { readConnection } from "../connections/connected-users.ts";
import type { OnboardingValues } from "../onboarding/onboarding-fields.ts";
import { followUpOnboarding, readOnboardingState } from "../onboarding/onboarding-status.ts";
import { startOnboarding } from "../onboarding/submit-onboarding.ts";
import type { Partner } from "../partner.ts";
import { openChallenge } from "../people/challenge.ts";
import { completeSignIn } from "../people/complete-sign-in.ts";
import type { AttemptSource } from "../people/known-devices.ts";
import { listMessages } from "../people/messages.ts";
import { findOpenOnboarding } from "../storage/onboardings.ts";
import { listPeopleByEmail, type Person } from "../storage/people.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";
import { pressAuthorize } from "./press-authorize.ts";
import { demoEmails } from "./seed.ts";

const decisionMsMax = 15_000;
const pollIntervalMs = 100;

/**
 * Onboards and connects the demo people like anyone else: two factors, user intent, webhook, authorization pages,
 * callback. False if any of them couldn't be connected.
 * @param pagesAt where to reach the authorization pages, if not at their public address
 */
export async function connectDemoPeople(partner: Partner, pagesAt?: string): Promise<boolean> {
  const people = await listPeopleByEmail(partner.db, demoEmails);
  const connected = await Promise.all(people.map((person) => connectDemoPerson(partner, person, pagesAt)));
  return connected.every(Boolean);
}

async function connectDemoPerson(partner: Partner, person: Person, pagesAt?: string): Promise<boolean> {
  try {
    if (await isConnected(partner, person)) return true;
    const present = await signInDirectly(partner, person, { clientAddress: "127.0.0.1", knownDevices: [] });
    if (!present) return false;
    const subject = await subjectOf(partner, present);
    return subject !== undefined && (await authorize(partner, present, subject, pagesAt));
  } catch (error) {
    log().warn({ error: String(error) }, "a demo person could not be connected");
    return false;
  }
}

async function isConnected(partner: Partner, person: Person): Promise<boolean> {
  const { businessUserId } = partner.config;
  const isOperator = person.role === "operator";
  const serviceUserId = isOperator ? businessUserId : (await findServiceUserOfPerson(partner.db, person.id))?.id;
  return serviceUserId !== undefined && (await readConnection(partner, serviceUserId)).kind === "connected";
}

async function subjectOf(partner: Partner, person: Person): Promise<AuthorizationSubject | undefined> {
  if (person.role === "operator") return { user_id: partner.config.businessUserId };
  const user = await findServiceUserOfPerson(partner.db, person.id);
  if (user) return { user_id: user.id };
  const key = { idempotencyKey: randomUUID(), clientAddress: "127.0.0.1" };
  await startOnboarding(partner, person, demoDetailsOf(person), key);
  if (!(await waitForApproval(partner, person))) return undefined;
  const onboarding = await findOpenOnboarding(partner.db, person.id);
  return onboarding?.userIntentId ? { user_intent_id: onboarding.userIntentId } : undefined;
}

async function waitForApproval(partner: Partner, { id }: Person): Promise<boolean> {
  const giveUpAt = performance.now() + decisionMsMax;
  while (performance.now() < giveUpAt) {
    await followUpOnboarding(partner, id);
    const { kind } = await readOnboardingState(partner, id);
    if (kind === "approved") return true;
    if (kind !== "waiting") return false;
    await pause(pollIntervalMs);
  }
  return false;
}

async function authorize(
  partner: Partner,
  person: Person,
  subject: AuthorizationSubject,
  pagesAt?: string,
): Promise<boolean> {
  const purpose = person.role === "operator" ? "business" : "seller";
  const opened = await openAuthorization(partner, { personId: person.id, purpose, subject, returnTo: "/" });
  if (opened.kind !== "ok") return false;
  const query = await pressAuthorize(opened.address, callbackAddress(partner), pagesAt);
  if (!query || (partner.config.isStateUsed && query.get("state") !== opened.pending.state)) return false;
  return (await completeAuthorization(partner, query, opened.pending, person)) === undefined;
}

/** A demo seller's answers. The sandbox approves an ssn with this ending (Decision D8). */
export function demoDetailsOf({ firstName, lastName, phone }: Person): OnboardingValues {
  return {
    first_name: firstName,
    last_name: lastName,
    date_of_birth: "1987-04-19",
    ssn: `5191${phone.slice(-4)}5`,
    address1: "48 Lighthouse Way",
    address2: "",
    city: "Portland",
    state: "ME",
    postal_code: "04101",
    shop: "",
    metadata: [],
  };
}

/** Signs a sandbox's person in without a password, with the code from the sandbox's phone. */
export async function signInDirectly(
  partner: Partner,
  person: Person,
  source: AttemptSource,
): Promise<Person | undefined> {
  const { key } = await openChallenge(partner, { kind: "sign_in", person });
  const texts = await listMessages(partner, key.id);
  const code = /\b\d{6}\b|\b\d{5} ?\d{5}\b/.exec(texts.at(-1)?.text ?? "")?.[0].replace(" ", "");
  if (!code) return undefined;
  const completed = await completeSignIn(partner, key, code, source);
  return completed.kind === "signed_in" ? completed.person : undefined;
}
