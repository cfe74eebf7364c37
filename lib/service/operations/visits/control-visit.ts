import { canFollow } from "../../../contract/statuses.ts";
import { newTraceId } from "../../../kit/trace.ts";
import { providers } from "../../providers.ts";
import { database } from "../../storage/database.ts";
import type { Visit } from "../../storage/visits.ts";
import { decideUser, decideUserIntent } from "../people/decide-person.ts";
import { findVisitByKey, type VisitKey } from "./visit-key.ts";

/** What the sandbox bar of a visit's page lets its person do; `secondsAhead` is how far the client's clock is ahead of real time. */
export type VisitControls = { clientName: string; decisions: HandDecision[]; secondsAhead: number };

const handDecisions = ["approved", "rejected", "retry", "document"] as const;
export type HandDecision = (typeof handDecisions)[number];

/** What can be done by hand about a visit; undefined outside a sandbox, and for whom the visit is not open. */
export async function readVisitControls(key: VisitKey): Promise<VisitControls | undefined> {
  const { clockOf } = providers();
  const visit = clockOf && (await findOpenVisit(key));
  if (!clockOf || !visit) return undefined;
  const { secondsAhead } = await clockOf(visit.clientId);
  const kind = visit.userId === null ? "userIntent" : "user";
  const decisions = handDecisions.filter((status) => canFollow(kind, visit.status, status));
  return { clientName: visit.clientName, decisions, secondsAhead };
}

/** Decides about the person of a visit, as the sandbox call does. False: not in a sandbox, or it cannot follow. */
export async function decideVisitPerson(key: VisitKey, status: HandDecision): Promise<boolean> {
  const visit = providers().clockOf && (await findOpenVisit(key));
  if (!visit) return false;
  const { clientId, userId, userIntentId } = visit;
  const rejectionReasons = status === "rejected" ? [byHand] : [];
  const decision = { status, rejectionReasons };
  const decided = userId
    ? await decideUser({ id: userId, clientId, traceId: newTraceId() }, decision)
    : await decideUserIntent({ id: userIntentId ?? "", clientId }, decision);
  return decided.kind === "decided";
}

/** Moves the clock of a visit's client forward. False: not in a sandbox, or too far. */
export async function jumpVisitClock(key: VisitKey, seconds: number): Promise<boolean> {
  const { clockOf } = providers();
  const visit = clockOf && (await findOpenVisit(key));
  if (!clockOf || !visit) return false;
  return (await clockOf(visit.clientId)).advance(seconds);
}

const byHand = { code: "decided_by_hand", message: "Somebody looked at the details and turned them down." };

async function findOpenVisit(key: VisitKey): Promise<Visit | undefined> {
  const visit = await findVisitByKey(database(), key);
  return visit && visit.step !== "finished" ? visit : undefined;
}
