import { answerCalls } from "../processes/calls.ts";
import { openConnection } from "./http.ts";
import { type Round, type RoundLength, runAtRate, runClosedLoop, type Work } from "./round.ts";
import { actorsOf, type Scenario } from "./scenarios.ts";

// Runs in its own process, so that it neither adds to the measured load nor waits for it.

/** Connections are spread round-robin over the addresses. */
export type Load = { origins: string[]; connections: number; scenario: Scenario };

let actors: Work[] = [];

const handlers = {
  /** Opens the connections. Scenario state such as newer tokens carries over between rounds. */
  prepare: async ({ origins, connections, scenario }: Load): Promise<void> => {
    const opened = Array.from({ length: connections }, (_, index) =>
      openConnection(origins[index % origins.length] ?? ""),
    );
    actors = actorsOf(scenario, opened);
  },
  closedLoop: (length: RoundLength): Promise<Round> => runClosedLoop(actors, length),
  atRate: (length: RoundLength & { perSecond: number }): Promise<Round> => runAtRate(actors, length),
};

export type Generator = typeof handlers;

answerCalls(handlers);
