import { groundFor, NotReached } from "../findings.ts";
import type { Operator } from "./client.ts";
import type { Exchange, Send } from "./exchange.ts";
import { findText } from "./read-answer.ts";
import type { Mailbox } from "./receiver.ts";
import type { NamedPeople } from "./settings.ts";

/** A control call by its path below the sandbox or the adapter. Throws `NotReached` if it's missing or refused. */
export type Control = (path: string, json: Record<string, unknown>) => Promise<Exchange>;

/** The calls of an operator's control adapter (docs/conformance.md). */
export function adapterControl(send: Send, controlUrl: string): Control {
  return async (path, json) => {
    const exchange = await send({ method: "POST", to: `${controlUrl}${path}`, json });
    return groundFor(exchange, `The control adapter refused POST ${path}`);
  };
}

export function controllingOperator(control: Control): Operator {
  return {
    fieldsFor: () => ({}),
    decideIntent: (id, status) => control(`/user_intents/${id}/status`, { status }),
    changeUser: (id, status) => control(`/users/${id}/status`, { status }),
    finishTransfer: (id) => control(`/transfers/${id}/status`, { status: "processed" }),
    isPassive: false,
  };
}

/** Without control: uses people named by the operator, because the service decides about them on its own. */
export function waitingOperator(people: NamedPeople, mailbox: Mailbox): Operator {
  const announced = async (id: string, what: string) => {
    const webhook = await mailbox.waitFor(({ text }) => text.includes(id));
    if (webhook) return webhook.exchange;
    throw new NotReached(`No webhook about the ${what} arrived in time (--people, --patience).`);
  };
  return {
    fieldsFor: (status) => {
      const fields = { approved: people.approved, rejected: people.rejected }[status];
      if (fields) return fields;
      throw new NotReached(`--people has no fields of an intent that is ${status}.`);
    },
    decideIntent: (id) => announced(id, "intent"),
    changeUser: async () => {
      throw new NotReached("Without control, no user's status changes.");
    },
    finishTransfer: (id) => announced(id, "transfer"),
    isPassive: true,
  };
}

/** What the operator returned about a client that it created. */
export function readCreatedClient({ answer }: Exchange) {
  const read = (name: string) => findText(answer.json, [name]);
  const source = read("source_id");
  const destination = read("destination_id");
  return {
    id: read("client_id") ?? "",
    secret: read("client_secret") ?? "",
    provider: read("provider") ?? "",
    webhookSecret: read("webhook_secret") ?? "",
    business: { userId: read("business_user_id") ?? "", phone: read("business_user_phone") ?? "" },
    instruments: { ...(source && { source }), ...(destination && { destination }) },
  };
}
