import { answerCalls } from "../processes/calls.ts";
import { openConnection } from "./http.ts";
import { type Round, type RoundLength, runAtRate, runClosedLoop, type Work } from "./round.ts";
import { actorsOf, type Scenario } from "./scenarios.ts";

// The load generator, a process of its own, so that its work counts for no other process and none delays it.

/** What a generator sends: connection n goes to address n, and from the start after the last. */
export type Load = { origins: string[]; connections: number; scenario: Scenario };

let actors: Work[] = [];

const handlers = {
  /** Opens the connections; what the scenario learns in one round (newer tokens) it knows in the next. */
  prepare: async ({ origins, connections, scenario }: Load): Promise<void> => {
    const opened = Array.from({ length: connections }, (_, place) =>
      openConnection(origins[place % origins.length] ?? ""),
    );
    actors = actorsOf(scenario, opened);
  },
  closedLoop: (length: RoundLength): Promise<Round> => runClosedLoop(actors, length),
  atRate: (length: RoundLength & { perSecond: number }): Promise<Round> => runAtRate(actors, length),
};

/** What the generator can be asked. */
export type Generator = typeof handlers;

answerCalls(handlers);
