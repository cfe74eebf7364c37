import { NotReached } from "../findings.ts";
import type { Client } from "./client.ts";
import type { Send } from "./exchange.ts";
import type { Receiver } from "./receiver.ts";
import type { Settings } from "./settings.ts";

/** A check's requirements: sandbox control, its clock, or plain-form authorization pages. */
export type Need = "control" | "clock" | "pages";

export type World = {
  settings: Settings;
  send: Send;
  receiver: Receiver;
  /** Shared by checks that don't move the clock: a new sandbox client, or the given one. */
  client: () => Promise<Client>;
  /** A separate client for one check, if one can be created. */
  freshClient: (options?: { isTrusted: boolean }) => Promise<Client>;
  /** Memoizes shared work across checks. */
  once: <Value>(name: string, make: () => Promise<Value>) => Promise<Value>;
  /** The time left in the run. */
  msLeft: () => number;
  /** Why a clause's requirement isn't met, or undefined. */
  lacks: (need: Need, clause: string) => string | undefined;
};

/** Ensures that the service can reach this machine; otherwise, silence proves nothing. */
export function requireReachable({ receiver }: World): void {
  if (!receiver.isReached()) {
    throw new NotReached("Nothing from the service ever reached the suite's address (--reachable-at).");
  }
}
