import { NotReached } from "../findings.ts";
import type { Exchange } from "./exchange.ts";
import { createSend } from "./http.ts";
import { clientFromSettings, makeClient } from "./make-client.ts";
import type { Receiver } from "./receiver.ts";
import type { Redactor } from "./redact.ts";
import type { Settings } from "./settings.ts";
import type { Need, World } from "./world.ts";

/** `redactor` learns from every exchange. */
export function createWorld(
  settings: Settings,
  { receiver, redactor, msLeft }: { receiver: Receiver; redactor: Redactor; msLeft: () => number },
): World {
  const results = new Map<string, Promise<unknown>>();
  const send = createSend(settings.baseUrl, (exchange: Exchange) => redactor.learn(exchange));
  redactor.hide(settings.clientSecret);
  const makesClients = settings.hasSandbox || settings.controlUrl !== undefined;

  function once<Value>(name: string, make: () => Promise<Value>): Promise<Value> {
    const known = results.get(name) ?? make();
    results.set(name, known);
    return known as Promise<Value>;
  }
  const world: World = {
    settings,
    send,
    receiver,
    client: () => once("client", async () => (makesClients ? makeClient(world) : clientFromSettings(world))),
    freshClient: async (options) => {
      if (makesClients) return makeClient(world, options);
      if (options?.isTrusted === false) throw new NotReached("Without control, there is no second client.");
      return world.client();
    },
    once,
    msLeft,
    // Our decisions' checks need our sandbox.
    lacks: (need, clause) => {
      const isControlled = makesClients || settings.people !== undefined;
      return settings.hasSandbox || (isControlled && clause.startsWith("I.")) ? undefined : lackOf[need];
    },
  };
  return world;
}

const lackOf: Record<Need, string> = {
  control: "It can't be reached without sandbox control.",
  clock: "It can't be reached without sandbox control: a lifetime is seen by moving the clock.",
  pages: "It needs a person's browser, or sandbox control: the suite's own addresses must be registered.",
};
