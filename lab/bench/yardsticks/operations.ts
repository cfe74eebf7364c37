import { randomUUID } from "node:crypto";
import { fingerprintOf } from "../../../lib/service/operations/idempotency.ts";
import { createBookRoutine } from "../../../lib/service/operations/money/create-book-routine.ts";
import { authenticateAccessToken } from "../../../lib/service/operations/tokens/authenticate-access-token.ts";
import { refreshTokens as exchangeRefreshToken } from "../../../lib/service/operations/tokens/refresh-tokens.ts";
import { chooseProviders, productionProviders } from "../../../lib/service/providers.ts";
import { type Round, type RoundLength, runClosedLoop, type Work } from "../load/round.ts";
import { answerCalls } from "../processes/calls.ts";

// Our own operations driven by a bare loop in one process: what is left of the work when HTTP is taken away.

chooseProviders(productionProviders);
const traceId = "ab".repeat(16);
let actors: Work[] = [];

const handlers = {
  prepareRefresh: async (load: { clientId: string; refreshTokens: string[]; callers: number }): Promise<void> => {
    actors = callers(load.callers, (place) => {
      const own = load.refreshTokens.filter((_, index) => index % load.callers === place);
      let turn = 0;
      return async () => {
        const user = turn++ % own.length;
        const grant = await exchangeRefreshToken(own[user] ?? "", load);
        if (grant.kind === "granted") own[user] = grant.refreshToken;
        return grant.kind === "granted";
      };
    });
  },

  prepareRead: async (load: { accessTokens: string[]; callers: number }): Promise<void> => {
    let turn = 0;
    actors = callers(load.callers, () => async () => {
      const token = load.accessTokens[turn++ % load.accessTokens.length] ?? "";
      return (await authenticateAccessToken(token)).kind === "valid";
    });
  },

  prepareBook: async (load: {
    accessToken: string;
    sourceIds: string[];
    destinationIds: string[];
    callers: number;
  }): Promise<void> => {
    const authentication = await authenticateAccessToken(load.accessToken);
    if (authentication.kind !== "valid") throw new Error("The business's token must be valid.");
    const { caller } = authentication;
    let turn = 0;
    actors = callers(load.callers, () => async () => {
      turn++;
      const sourceId = load.sourceIds[turn % load.sourceIds.length] ?? "";
      const destinationId = load.destinationIds[turn % load.destinationIds.length] ?? "";
      const order = { name: "Payout", amountCents: 1, sourceId, destinationId };
      const operation = "createBookRoutine";
      const idempotency = {
        ...{ clientId: caller.clientId, userScope: caller.user.id, operation },
        ...{ key: randomUUID(), fingerprint: fingerprintOf(operation, order) },
      };
      return (await createBookRoutine({ ...order, traceId, idempotency }, caller)).kind === "created";
    });
  },

  closedLoop: (length: RoundLength): Promise<Round> => runClosedLoop(actors, length),
};

function callers(count: number, make: (place: number) => Work): Work[] {
  return Array.from({ length: count }, (_, place) => make(place));
}

/** What the process of bare operations can be asked. */
export type OperationsProcess = typeof handlers;

answerCalls(handlers);
