import { groundFor, NotReached } from "../findings.ts";
import type { Client } from "./client.ts";
import { adapterControl, type Control, controllingOperator, readCreatedClient, waitingOperator } from "./control.ts";
import type { Exchange, Send } from "./exchange.ts";
import { fieldsOf } from "./read-answer.ts";
import type { Mailbox, Receiver } from "./receiver.ts";
import type { Settings } from "./settings.ts";

export type Maker = { settings: Settings; send: Send; receiver: Receiver; msLeft: () => number };

/** The given client, without setup. */
export function clientFromSettings(maker: Maker): Client {
  const { clientId: id, clientSecret: secret, provider, people = {}, redirectUri } = maker.settings;
  const { user_id: userId, phone } = people.business ?? {};
  const business = userId && phone ? { userId, phone } : undefined;
  const known = { id, secret, provider, webhookSecret: "", business, instruments: people.instruments ?? {} };
  return clientOf(maker, known, maker.receiver.openMailbox(redirectUri));
}

/** A new client with the suite's addresses, created by the sandbox or the control adapter. */
export function makeClient(maker: Maker, { isTrusted = true } = {}): Promise<Client> {
  const { controlUrl } = maker.settings;
  return controlUrl === undefined
    ? makeSandboxClient(maker, isTrusted)
    : makeAdapterClient(maker, isTrusted, adapterControl(maker.send, controlUrl));
}

async function makeSandboxClient(maker: Maker, isTrusted: boolean): Promise<Client> {
  const created = await clientFromSettings(maker).control("POST", "/sandbox/clients");
  const client = clientOf(maker, readCreatedClient(created), maker.receiver.openMailbox());
  const { redirectUri, customersUrl, webhookUrl } = client.mailbox;
  await client.control("PUT", "/sandbox/client", {
    ...{ redirect_uris: [redirectUri], customers_url: customersUrl },
    ...(!isTrusted && { trusted_authentication: false }),
  });
  await client.control("PUT", "/sandbox/webhook_endpoint", { url: webhookUrl });
  const control: Control = (path, json) => client.control("POST", `/sandbox${path}`, json);
  return withControl(client, control, "/clock/advance");
}

async function makeAdapterClient(maker: Maker, isTrusted: boolean, control: Control): Promise<Client> {
  const mailbox = maker.receiver.openMailbox();
  const { redirectUri, customersUrl, webhookUrl } = mailbox;
  const created = await control("/clients", {
    ...{ redirect_uri: redirectUri, customers_url: customersUrl, webhook_url: webhookUrl },
    trusted_authentication: isTrusted,
  });
  const client = clientOf(maker, readCreatedClient(created), mailbox);
  return withControl(client, (path, json) => control(path, { client_id: client.id, ...json }), "/clock");
}

function withControl(client: Client, control: Control, clockPath: string): Client {
  let aheadSeconds = 0;
  return {
    ...client,
    operator: controllingOperator(control),
    advanceClock: async (seconds) => {
      await control(clockPath, { seconds });
      aheadSeconds += seconds;
    },
    now: () => Date.now() + aheadSeconds * 1000,
  };
}

type Known = Pick<Client, "id" | "secret" | "provider" | "webhookSecret" | "business" | "instruments">;

// Its operator and clock can only wait until something controls them.
function clientOf({ settings, send, msLeft }: Maker, known: Known, mailbox: Mailbox): Client {
  const basic = { id: known.id, secret: known.secret };
  const control: Client["control"] = async (method, path, json) => {
    if (!settings.hasSandbox) throw new NotReached("It can't be reached without sandbox control.");
    const exchange: Exchange = await send({ method, to: path, basic, ...(json !== undefined && { json }) });
    if (exchange.answer.status === 404 && Object.keys(fieldsOf(exchange.answer.json)).length === 0) {
      throw new NotReached(`It can't be reached without sandbox control: there is no ${method} ${path}.`, exchange);
    }
    return groundFor(exchange, `It can't be reached without sandbox control: ${method} ${path} was refused`);
  };
  return {
    ...known,
    mailbox,
    send: (request) => send({ ...request, basic }),
    control,
    operator: waitingOperator(settings.people ?? {}, mailbox),
    advanceClock: async (seconds) => {
      const isShort = seconds * 1000 <= msLeft();
      if (!isShort) throw new NotReached(`Without control of the clock, it takes ${seconds} s more (--budget).`);
      await new Promise((done) => setTimeout(done, seconds * 1000));
    },
    now: () => Date.now(),
  };
}
