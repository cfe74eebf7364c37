import { limits } from "../../contract/limits.ts";
import { canFollow } from "../../contract/statuses.ts";
import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
import { decryptText } from "../../kit/secrets.ts";
import { newTraceId } from "../../kit/trace.ts";
import { inCellOfId } from "../cells.ts";
import { serviceConfig } from "../config.ts";
import { decideUser, decideUserIntent } from "../operations/people/decide-person.ts";
import type { ManualDecision, ReadableMessage, VisitControls, VisitTools } from "../providers.ts";
import { database } from "../storage/database.ts";
import { listMessages, messageContext } from "../storage/phones.ts";
import { findVisitByKey, type Visit, type VisitKey } from "../storage/visits.ts";
import { advanceClock, readClock } from "./clock.ts";

/** Backs the sandbox bar and phone on a visit's pages. Requires the visit's cookie. */
export const visitTools: VisitTools = {
  readControls: inVisitsCell(readControls),
  decidePerson: inVisitsCell(decidePerson),
  advanceVisitClock: inVisitsCell(advanceVisitClock),
  readVisitMessages: inVisitsCell(readVisitMessages),
};

function inVisitsCell<Rest extends unknown[], T>(use: (key: VisitKey, ...rest: Rest) => T) {
  return (key: VisitKey, ...rest: Rest): T => inCellOfId(key.visitId, () => use(key, ...rest));
}

const manualDecisions = ["approved", "rejected", "retry", "document"] as const;

async function readControls(key: VisitKey): Promise<VisitControls | undefined> {
  const visit = await findOpenVisit(key);
  if (!visit) return undefined;
  const { offsetSeconds: secondsAhead } = await readClock(visit.clientId);
  const kind = visit.userId === null ? "userIntent" : "user";
  const decisions = manualDecisions.filter((status) => canFollow(kind, visit.status, status));
  return { clientName: visit.clientName, decisions, secondsAhead };
}

async function decidePerson(key: VisitKey, status: ManualDecision): Promise<boolean> {
  const visit = await findOpenVisit(key);
  if (!visit) return false;
  const { clientId, userId, userIntentId } = visit;
  const rejectionReasons = status === "rejected" ? [byHand] : [];
  const decision = { status, rejectionReasons };
  const decided = userId
    ? await decideUser({ id: userId, clientId, traceId: newTraceId() }, decision)
    : await decideUserIntent({ id: userIntentId ?? "", clientId }, decision);
  return decided.kind === "decided";
}

const byHand = { code: "decided_by_hand", message: "A reviewer rejected these details." };

async function advanceVisitClock(key: VisitKey, seconds: number): Promise<boolean> {
  const visit = await findOpenVisit(key);
  return visit !== undefined && (await advanceClock(visit.clientId, { seconds })) !== undefined;
}

async function findOpenVisit(key: VisitKey): Promise<Visit | undefined> {
  const visit = await findVisitByKey(key);
  return visit && visit.step !== "finished" && visit.step !== "withdrawn" ? visit : undefined;
}

async function readVisitMessages(key: VisitKey): Promise<ReadableMessage[] | undefined> {
  const visit = await findVisitByKey(key);
  if (visit?.step !== "verification_code" || visit.isExpired) return undefined;
  return (await readMessages(visit.clientId, visit.phone)).toReversed();
}

/** The newest texts to a client's phone, decrypted, newest first. They contain verification codes. */
export async function readMessages(clientId: string, phone: string): Promise<ReadableMessage[]> {
  const { keyring } = serviceConfig();
  const messages = await listMessages(database(), { clientId, phone, limit: limits.messagesMax });
  return Promise.all(
    messages.map(async ({ id, phone, textEncrypted, sentAt }) => {
      const text = await decryptText(textEncrypted, messageContext(id), keyring).catch((error: unknown) => {
        log().warn({ messageId: id, error: describeError(error) }, "a text could not be decrypted");
        return "This text can’t be decrypted.";
      });
      return { id, phone, text, sentAt: sentAt.toISOString() };
    }),
  );
}
