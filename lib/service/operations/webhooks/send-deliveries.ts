import { describeError } from "../../../kit/describe-error.ts";
import { log } from "../../../kit/log.ts";
import { deliverWebhook, type SendWebhook } from "../../outbound/deliver-webhook.ts";
import { providers } from "../../providers.ts";
import { attemptDelivery } from "./attempt-delivery.ts";
import { arrangeDeliveries, claimDeliveries, claimDueProbes, type SendableDelivery } from "./claim-deliveries.ts";

/** Attempts under way in this process, each beside the others. */
export type DeliverySending = {
  /** Begins an attempt of all that is due and returns the milliseconds until more will be; "full" when there is no room. */
  sendAllDue: () => Promise<number | "full" | undefined>;
  /** Lets attempts under way finish for `graceMs`, then cuts them short. */
  finish: (how: { graceMs: number }) => Promise<void>;
};

// A slow endpoint may hold this many connections for 10 s each and no more, so it delays nobody but itself.
const perClientMax = 64;
// One that answers everything at once gets larger sets, each of which costs one claim and one outcome, as long as half of
// the room is left to the others.
const perQuickClientMax = 256;
const quickClientsMax = 1000;
const inFlightMax = 1024;
// Somebody else holds what is overdue, for a moment.
const shortestWaitMs = 20;

/** Makes the sending of one process; `onRoom` is called when there was no room and now may be. */
export function createDeliverySending({
  onRoom,
  quickMs = 500,
}: {
  onRoom: () => void;
  quickMs?: number | undefined;
}): DeliverySending {
  const stopping = new AbortController();
  const attempts = new Set<Promise<void>>();
  const inFlight = new Map<string, { count: number; quickInARow: number }>();
  const quickClientIds = new Set<string>();

  const isRoomy = () => attempts.size <= inFlightMax / 2;
  const mostOf = (clientId: string) => (quickClientIds.has(clientId) && isRoomy() ? perQuickClientMax : perClientMax);
  const isBusy = (clientId: string) => (inFlight.get(clientId)?.count ?? 0) >= mostOf(clientId);

  async function sendAllDue(): Promise<number | "full" | undefined> {
    while (attempts.size < inFlightMax) {
      const isMore = await sendRound();
      const { due, nextMs } = await arrangeDeliveries();
      if (nextMs === 0) await beginAll(await claimDueProbes());
      if (isMore || due > 0) continue;
      return nextMs === undefined ? undefined : Math.max(nextMs, shortestWaitMs);
    }
    return "full";
  }

  // Once along all clients that have something due, so that each gets its turn however much another has. Returns whether
  // another round is worth its while: what a busy client has left is looked for once it has room.
  async function sendRound(): Promise<boolean> {
    let after: string | undefined = "";
    let isMore = false;
    while (after !== undefined && attempts.size < inFlightMax) {
      const busyClientIds = [...inFlight.keys()].filter(isBusy);
      const { deliveries, parked, next } = await claimDeliveries({
        after,
        perClientMax,
        quickClientIds: isRoomy() ? [...quickClientIds] : [],
        perQuickClientMax,
        busyClientIds,
      });
      await beginAll(deliveries);
      const taken = Map.groupBy(deliveries, ({ clientId }) => clientId);
      isMore ||= parked > 0 || [...taken].some(([id, own]) => own.length >= perClientMax && !isBusy(id));
      after = next;
    }
    return isMore;
  }

  async function beginAll(claimed: SendableDelivery[]): Promise<void> {
    const planned = await providers().planDeliveries(claimed, deliverWebhook);
    for (const { delivery, send } of planned) begin(delivery, send);
  }

  function begin(delivery: SendableDelivery, send: SendWebhook): void {
    const { clientId, id: webhookId, traceId } = delivery;
    const own = inFlight.get(clientId) ?? { count: 0, quickInARow: 0 };
    own.count++;
    inFlight.set(clientId, own);
    function end(isQuick?: boolean): void {
      // Before its client may be found to be quick, which makes room too.
      const wasFull = attempts.size >= inFlightMax || isBusy(clientId);
      if (isQuick !== undefined) noteQuick(clientId, own, isQuick);
      attempts.delete(attempt);
      own.count--;
      if (own.count === 0) inFlight.delete(clientId);
      // What waited for a probe may go.
      if (wasFull || delivery.failedProbes !== null) onRoom();
    }
    const attempt = attemptDelivery(delivery, send, stopping.signal).then(
      (made) => end(made?.status === "delivered" && made.durationMs <= quickMs),
      (error: unknown) => {
        log().error({ webhookId, traceId, error: describeError(error) }, "an attempt could not be written down");
        end();
      },
    );
    attempts.add(attempt);
  }

  function noteQuick(clientId: string, own: { quickInARow: number }, isQuick: boolean): void {
    own.quickInARow = isQuick ? own.quickInARow + 1 : 0;
    if (!isQuick) quickClientIds.delete(clientId);
    else if (own.quickInARow >= perClientMax && quickClientIds.size < quickClientsMax) quickClientIds.add(clientId);
  }

  async function finish({ graceMs }: { graceMs: number }): Promise<void> {
    const grace = setTimeout(() => stopping.abort(), graceMs);
    await Promise.all(attempts);
    clearTimeout(grace);
  }

  return { sendAllDue, finish };
}
