import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { AuthorizationSubject } from "#client";
import { log } from "../../kit/log.ts";
import { findTrouble } from "../authorization/finish-authorization.ts";
import { callbackAddress, openAuthorization } from "../authorization/open-authorization.ts";
import { followUpOnboarding } from "../onboarding/follow-up-onboarding.ts";
import { readOnboardingState } from "../onboarding/onboarding-state.ts";
import { startOnboarding } from "../onboarding/start-onboarding.ts";
import type { Partner } from "../partner.ts";
import { findOpenOnboarding } from "../storage/onboardings.ts";
import { listPeopleByEmail, type Person } from "../storage/people.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";
import { readConnection } from "../tokens/connection.ts";
import { demoDetailsOf } from "./demo-details.ts";
import { passFactors } from "./pass-factors.ts";
import { pressAuthorize } from "./press-authorize.ts";
import { demoEmails } from "./seed.ts";

const decisionMsMax = 15_000;
const betweenLooksMs = 100;

/**
 * Onboards the sandbox's sellers and connects them and the business, by the way that everybody goes: two factors, user
 * intent, webhook, authorization pages, callback. Whoever is connected stays so; false when somebody could not be.
 */
export async function connectDemoPeople(partner: Partner): Promise<boolean> {
  const people = await listPeopleByEmail(partner.db, demoEmails);
  const connected = await Promise.all(people.map((person) => connectDemoPerson(partner, person)));
  return connected.every(Boolean);
}

async function connectDemoPerson(partner: Partner, person: Person): Promise<boolean> {
  try {
    if (await isConnected(partner, person)) return true;
    const present = await passFactors(partner, person, { clientAddress: "127.0.0.1", knownDevices: [] });
    if (!present) return false;
    const subject = await subjectOf(partner, present);
    return subject !== undefined && (await authorize(partner, present, subject));
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
    await pause(betweenLooksMs);
  }
  return false;
}

async function authorize(partner: Partner, person: Person, subject: AuthorizationSubject): Promise<boolean> {
  const purpose = person.role === "operator" ? "business" : "seller";
  const opened = await openAuthorization(partner, { personId: person.id, purpose, subject, returnTo: "/" });
  if (opened.kind !== "ok") return false;
  const query = await pressAuthorize(opened.address, callbackAddress(partner));
  if (!query || (partner.config.isStateUsed && query.get("state") !== opened.pending.state)) return false;
  return (await findTrouble(partner, query, opened.pending, person)) === undefined;
}
