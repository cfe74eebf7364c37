import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { AuthorizationSubject } from "#client";
import { log } from "../../kit/log.ts";
import { findTrouble } from "../authorization/finish-authorization.ts";
import { callbackAddress, openAuthorization } from "../authorization/open-authorization.ts";
import { partnerConfig } from "../config.ts";
import { followUpOnboarding } from "../onboarding/follow-up-onboarding.ts";
import { readOnboardingState } from "../onboarding/onboarding-state.ts";
import { startOnboarding } from "../onboarding/start-onboarding.ts";
import { demoEmails } from "../people/seed.ts";
import { database } from "../storage/database.ts";
import { findOpenOnboarding } from "../storage/onboardings.ts";
import { listPeopleByEmail, type Person } from "../storage/people.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";
import { readConnection } from "../tokens/connection.ts";
import { demoDetailsOf } from "./demo-details.ts";
import { passFactors } from "./pass-factors.ts";
import { pressAuthorize } from "./press-authorize.ts";

const decisionMsMax = 15_000;
const betweenLooksMs = 100;

/**
 * Onboards the sandbox's sellers and connects them and the business, by the way that everybody goes: two factors, user
 * intent, webhook, authorization pages, callback. Whoever is connected stays so; false when somebody could not be.
 */
export async function connectDemoPeople(): Promise<boolean> {
  const people = await listPeopleByEmail(database(), demoEmails);
  const connected = await Promise.all(people.map(connectDemoPerson));
  return connected.every(Boolean);
}

async function connectDemoPerson(person: Person): Promise<boolean> {
  try {
    if (await isConnected(person)) return true;
    const present = await passFactors(person, { clientAddress: "127.0.0.1", knownDevices: [] });
    if (!present) return false;
    const subject = await subjectOf(present);
    return subject !== undefined && (await authorize(present, subject));
  } catch (error) {
    log().warn({ error: String(error) }, "a demo person could not be connected");
    return false;
  }
}

async function isConnected(person: Person): Promise<boolean> {
  const { businessUserId } = partnerConfig();
  const isOperator = person.role === "operator";
  const serviceUserId = isOperator ? businessUserId : (await findServiceUserOfPerson(database(), person.id))?.id;
  return serviceUserId !== undefined && (await readConnection(serviceUserId)).kind === "connected";
}

async function subjectOf(person: Person): Promise<AuthorizationSubject | undefined> {
  if (person.role === "operator") return { user_id: partnerConfig().businessUserId };
  const user = await findServiceUserOfPerson(database(), person.id);
  if (user) return { user_id: user.id };
  const key = { idempotencyKey: randomUUID(), clientAddress: "127.0.0.1" };
  await startOnboarding(person, demoDetailsOf(person), key);
  if (!(await waitForApproval(person))) return undefined;
  const onboarding = await findOpenOnboarding(database(), person.id);
  return onboarding?.userIntentId ? { user_intent_id: onboarding.userIntentId } : undefined;
}

async function waitForApproval({ id }: Person): Promise<boolean> {
  const giveUpAt = performance.now() + decisionMsMax;
  while (performance.now() < giveUpAt) {
    await followUpOnboarding(id);
    const { kind } = await readOnboardingState(id);
    if (kind === "approved") return true;
    if (kind !== "waiting") return false;
    await pause(betweenLooksMs);
  }
  return false;
}

async function authorize(person: Person, subject: AuthorizationSubject): Promise<boolean> {
  const purpose = person.role === "operator" ? "business" : "seller";
  const opened = await openAuthorization({ personId: person.id, purpose, subject, returnTo: "/" });
  if (opened.kind !== "ok") return false;
  const query = await pressAuthorize(opened.address, callbackAddress());
  if (!query || (partnerConfig().isStateUsed && query.get("state") !== opened.pending.state)) return false;
  return (await findTrouble(query, opened.pending, person)) === undefined;
}
