import type { Ask, Exchange } from "./exchange.ts";
import type { Mailbox } from "./receiver.ts";

/** A client with its sandbox calls (decision D16). */
export type Client = {
  id: string;
  secret: string;
  provider: string;
  webhookSecret: string;
  mailbox: Mailbox;
  business: { userId: string; phone: string } | undefined;
  send: (ask: Omit<Ask, "basic">) => Promise<Exchange>;
  /** A sandbox call. Throws `NotReached` if it's missing or refused. */
  control: (method: string, path: string, json?: unknown) => Promise<Exchange>;
  advanceClock: (seconds: number) => Promise<void>;
  /** The client's clock in milliseconds. */
  now: () => number;
};
