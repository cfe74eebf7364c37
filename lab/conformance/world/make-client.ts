import { groundFor, NotReached } from "../findings.ts";
import type { Client } from "./client.ts";
import type { Send } from "./exchange.ts";
import { fieldsOf, findText } from "./read-answer.ts";
import type { Receiver } from "./receiver.ts";
import type { Settings } from "./settings.ts";

export type Maker = { settings: Settings; send: Send; receiver: Receiver };

/** The given client, without setup. */
export async function readGivenClient(maker: Maker): Promise<Client> {
  const { clientId: id, clientSecret: secret, provider } = maker.settings;
  return clientOf(maker, { id, secret, provider, webhookSecret: "", business: undefined });
}

/** A new sandbox client with trusted authentication and the suite's URLs. */
export async function makeClient(maker: Maker): Promise<Client> {
  const given = await readGivenClient(maker);
  const made = await given.control("POST", "/sandbox/clients");
  const read = (name: string) => findText(made.answer.json, [name]) ?? "";
  const client = clientOf(maker, {
    id: read("client_id"),
    secret: read("client_secret"),
    provider: read("provider"),
    webhookSecret: read("webhook_secret"),
    business: { userId: read("business_user_id"), phone: read("business_user_phone") },
  });
  const { redirectUri, customersUrl, webhookUrl } = client.mailbox;
  await client.control("PUT", "/sandbox/client", { redirect_uris: [redirectUri], customers_url: customersUrl });
  await client.control("PUT", "/sandbox/webhook_endpoint", { url: webhookUrl });
  return client;
}

type Known = Pick<Client, "id" | "secret" | "provider" | "webhookSecret" | "business">;

function clientOf({ send, receiver }: Maker, known: Known): Client {
  const basic = { id: known.id, secret: known.secret };
  let aheadSeconds = 0;
  const control: Client["control"] = async (method, path, json) => {
    const exchange = await send({ method, to: path, basic, ...(json !== undefined && { json }) });
    if (exchange.answer.status === 404 && Object.keys(fieldsOf(exchange.answer.json)).length === 0) {
      throw new NotReached(`It cannot be reached without sandbox control: there is no ${method} ${path}.`, exchange);
    }
    return groundFor(exchange, `It cannot be reached without sandbox control: ${method} ${path} was refused`);
  };
  return {
    ...known,
    mailbox: receiver.openMailbox(),
    send: (ask) => send({ ...ask, basic }),
    control,
    advanceClock: async (seconds) => {
      await control("POST", "/sandbox/clock/advance", { seconds });
      aheadSeconds += seconds;
    },
    now: () => Date.now() + aheadSeconds * 1000,
  };
}
