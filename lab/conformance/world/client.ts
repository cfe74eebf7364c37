import type { Ask, Exchange } from "./exchange.ts";
import type { Mailbox } from "./receiver.ts";

/** A client of the service, and what only the sandbox lets it do (decision D16). */
export type Client = {
  id: string;
  secret: string;
  provider: string;
  webhookSecret: string;
  mailbox: Mailbox;
  business: { userId: string; phone: string } | undefined;
  /** Sends as this client. */
  send: (ask: Omit<Ask, "basic">) => Promise<Exchange>;
  /** A sandbox call. Throws `NotReached` when the service does not have it or refuses it. */
  control: (method: string, path: string, json?: unknown) => Promise<Exchange>;
  advanceClock: (seconds: number) => Promise<void>;
  /** The time by this client's clock, in milliseconds. */
  now: () => number;
};
