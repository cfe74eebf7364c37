import { NotReached } from "../findings.ts";
import type { Client } from "./client.ts";
import type { Send } from "./exchange.ts";
import type { Receiver } from "./receiver.ts";
import type { Settings } from "./settings.ts";

/** What a check cannot do without: control over a sandbox, over its clock, or authorization pages that work as plain forms. */
export type Need = "control" | "clock" | "pages";

/** All that a check works with. */
export type World = {
  settings: Settings;
  send: Send;
  receiver: Receiver;
  /** The client that all checks share which move no clock: made fresh in the sandbox, or the given one. */
  client: () => Promise<Client>;
  /** A client of a check's own. */
  freshClient: () => Promise<Client>;
  /** Does something once for all checks: the first one to ask waits for it, and all get what came of it. */
  once: <Value>(name: string, make: () => Promise<Value>) => Promise<Value>;
  /** Why a need is not there, or undefined. */
  lacks: (need: Need) => string | undefined;
};

/** Makes sure that the service can reach this machine: if nothing arrives from there, nothing follows from silence. */
export function requireReachable({ receiver }: World): void {
  if (!receiver.isReached()) {
    throw new NotReached("Nothing of the service ever arrived at the suite's own address (--reachable-at).");
  }
}
