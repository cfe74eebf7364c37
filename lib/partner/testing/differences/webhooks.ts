import type { SentEvent, WholeService } from "../whole-service.ts";
import type { Difference } from "./difference.ts";

const typesOpen = "Payload contents and type names of routine and transfer webhooks: not shown.";
const deliveryOpen = "Destination registration, signing, delivery retries and ordering: not shown.";

const deliver = (change: (event: SentEvent) => SentEvent[]) => (service: WholeService) => {
  service.switches.deliver = change;
};
const isPayment = (event: SentEvent) => /^(routine|transfer)_/.test(String(event["webhook_type"]));
const named = (write: (type: string) => string) =>
  deliver((event) => [isPayment(event) ? { ...event, webhook_type: write(String(event["webhook_type"])) } : event]);

export const webhookDifferences: Difference[] = [
  {
    what: "sends no webhooks about payments",
    open: typesOpen,
    apply: deliver((event) => (isPayment(event) ? [] : [event])),
  },
  { what: "sends no webhooks at all", open: deliveryOpen, apply: deliver(() => []) },
  {
    what: "sends webhooks about routines only",
    open: typesOpen,
    apply: deliver((event) => (event["webhook_type"] === "transfer_updated" ? [] : [event])),
  },
  {
    what: "sends webhooks about transfers only",
    open: typesOpen,
    apply: deliver((event) => (event["webhook_type"] === "routine_updated" ? [] : [event])),
  },
  { what: "uses dots in webhook types", open: typesOpen, apply: named((type) => type.replace("_", ".")) },
  { what: "sends webhook types in uppercase", open: typesOpen, apply: named((type) => type.toUpperCase()) },
  {
    what: "sends payment webhooks without a user",
    open: typesOpen,
    apply: deliver((event) => [isPayment(event) ? { ...event, user_id: undefined } : event]),
  },
  {
    what: "sends payment webhooks without a delivery id",
    open: typesOpen,
    apply: deliver((event) => [isPayment(event) ? { ...event, webhook_id: undefined } : event]),
  },
  {
    what: "signs webhooks under other ids than those in their bodies",
    open: deliveryOpen,
    isHarmless: true,
    apply: ({ switches }) => {
      switches.headerIdOf = (webhookId) => `msg_${webhookId}`;
    },
  },
  {
    what: "sends a ping before each webhook",
    open: deliveryOpen,
    isHarmless: true,
    apply: deliver((event) => [{ webhook_type: "ping" }, event]),
  },
  {
    what: "sends webhooks about records unknown to Harbor",
    open: typesOpen,
    apply: deliver((event) => [{ webhook_type: "account_updated", resource_id: "a-1" }, event]),
  },
  { what: "sends each webhook twice", open: deliveryOpen, apply: deliver((event) => [event, event]) },
  {
    what: "sends webhooks in reverse order",
    open: deliveryOpen,
    isHarmless: true,
    apply: (service) => {
      service.switches.order = (events) => events.toReversed();
    },
  },
  {
    what: "sends webhooks with extra fields and null metadata",
    open: deliveryOpen,
    apply: deliver((event) => [{ ...event, metadata: null, version: 2, data: { object: {} } }]),
  },
  {
    what: "loses every second webhook",
    open: deliveryOpen,
    apply: (service) => {
      let count = 0;
      service.switches.deliver = (event) => (count++ % 2 === 0 ? [event] : []);
    },
  },
];
