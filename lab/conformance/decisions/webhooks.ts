import { limits } from "../../../lib/contract/limits.ts";
import { type DeliveryRecord, deliveryList } from "../../../lib/contract/sandbox-webhooks.ts";
import type { Check } from "../check.ts";
import { must, NotReached } from "../findings.ts";
import type { Client } from "../world/client.ts";
import type { Exchange } from "../world/exchange.ts";
import { onboard } from "../world/people.ts";
import { readUntil } from "../world/until.ts";
import { decisionsThatNeed, fits } from "./decision.ts";

const decision = decisionsThatNeed("control", "clock");

// Long enough for the second attempt with jitter, but not the third.
const secondAttemptSeconds = 60;

/** D14: rejected webhooks. */
export const webhookDecisions: Check[] = [
  decision(
    "D14.3",
    "A refused webhook is resent, a redirect isn't followed, and 410 disables the endpoint.",
    async (world) => {
      const client = await world.freshClient();
      const { mailbox } = client;
      mailbox.answerWebhook = () => ({ status: 503 });
      await onboard(client);
      const first = await mailbox.waitFor(() => true);
      if (!first) throw new NotReached("No webhook arrived.");
      await deliveriesOf(client, ([newest]) => newest?.attempts.length === 1);
      mailbox.answerWebhook = () => ({ status: 302, location: `${mailbox.customersUrl}/elsewhere` });
      await client.advanceClock(secondAttemptSeconds);
      const second = await mailbox.waitFor(({ headers }) => headers["webhook-id"] === first.headers["webhook-id"], 1);
      must(second?.text === first.text, "A refused webhook wasn't resent unchanged.", first.exchange);
      const redirected = await deliveriesOf(client, ([newest]) => newest?.attempts.length === 2);
      const isPending = redirected.deliveries[0]?.status === "pending";
      const isFollowed = mailbox.customerRequests.some(({ path }) => path === "/elsewhere");
      must(isPending && !isFollowed, "A redirect was followed, or counted as success.", redirected.exchange);
      mailbox.answerWebhook = () => ({ status: 410 });
      await onboard(client);
      const { exchange, endpoint } = await deliveriesOf(client, (_, { disabled_at }) => disabled_at !== null);
      must(endpoint.disabled_at !== null, "410 disables nothing.", exchange);
    },
  ),
  decision("D14.5", "An address that is neither public nor loopback isn't called.", async (world) => {
    const client = await world.freshClient();
    await client.control("PUT", "/sandbox/webhook_endpoint", { url: "http://10.255.255.1/webhooks" });
    await onboard(client);
    const { exchange, deliveries } = await deliveriesOf(client, ([newest]) => newest?.attempts.length === 1);
    // Only this word distinguishes a missing call from a failed one.
    const error = deliveries[0]?.attempts[0]?.error;
    must(error === "address_refused", `Its outcome is ${error}.`, exchange);
  }),
  decision("D14.7", "After ten failed webhooks the others wait, and are sent once one succeeds.", async (world) => {
    const client = await world.freshClient();
    const { mailbox } = client;
    mailbox.answerWebhook = () => ({ status: 503 });
    const failing = limits.endpointFailedDeliveriesMin;
    await Promise.all(Array.from({ length: failing }, () => onboard(client)));
    await deliveriesOf(client, (all) => all.filter(({ attempts }) => attempts.length > 0).length === failing);
    const { intentId } = await onboard(client);
    const waiting = await deliveriesOf(client, (all) => all.length > failing);
    const held = waiting.deliveries.find(({ resource_id }) => resource_id === intentId);
    const isHeld = held?.attempts.length === 0 && held.next_attempt_at !== null;
    must(isHeld, "A webhook created while the endpoint was failing was attempted anyway.", waiting.exchange);
    mailbox.answerWebhook = () => ({ status: 204 });
    const oldest = waiting.deliveries.at(-1);
    await client.control("POST", `/sandbox/webhooks/${oldest?.id}/redeliver`);
    const arrived = await mailbox.waitFor(({ text }) => text.includes(intentId));
    must(arrived !== undefined, "It still waits after another one was accepted.", waiting.exchange);
  }),
];

type Deliveries = { exchange: Exchange; deliveries: DeliveryRecord[]; endpoint: { disabled_at: string | null } };

/** Polls the client's deliveries, newest first, until they match. */
function deliveriesOf(
  client: Client,
  isWanted: (deliveries: DeliveryRecord[], endpoint: Deliveries["endpoint"]) => boolean,
): Promise<Deliveries> {
  const read = async (): Promise<Deliveries> => {
    const exchange = await client.control("GET", "/sandbox/webhooks");
    fits(deliveryList, exchange);
    const { webhooks, endpoint } = deliveryList.parse(exchange.answer.json);
    return { exchange, deliveries: webhooks, endpoint };
  };
  return readUntil(read, ({ deliveries, endpoint }) => isWanted(deliveries, endpoint));
}
