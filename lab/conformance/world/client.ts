import type { Exchange, RequestSpec } from "./exchange.ts";
import type { Mailbox } from "./receiver.ts";

/** A client, with what the service's operator can do for it. */
export type Client = {
  id: string;
  secret: string;
  provider: string;
  webhookSecret: string;
  mailbox: Mailbox;
  business: { userId: string; phone: string } | undefined;
  /** Named by the operator; otherwise read from `--accounts-path`. */
  instruments: { source?: string; destination?: string };
  send: (request: Omit<RequestSpec, "basic">) => Promise<Exchange>;
  /** A sandbox call (decision D16). Throws `NotReached` if it's missing or refused. */
  control: (method: string, path: string, json?: unknown) => Promise<Exchange>;
  operator: Operator;
  advanceClock: (seconds: number) => Promise<void>;
  /** The client's clock in milliseconds. */
  now: () => number;
};

/** Each call throws `NotReached` if the operator can't do it. */
export type Operator = {
  /** The fields that make a user intent be decided this way. */
  fieldsFor: (status: string) => Record<string, unknown>;
  decideIntent: (id: string, status: string) => Promise<Exchange>;
  changeUser: (id: string, status: string) => Promise<Exchange>;
  finishTransfer: (id: string) => Promise<Exchange>;
  /** Whether the calls above only wait for what the service does on its own. */
  isPassive: boolean;
};
