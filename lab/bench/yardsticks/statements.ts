import { randomUUID } from "node:crypto";
import { newId } from "../../../lib/kit/ids.ts";
import { newSecret, sha256 } from "../../../lib/kit/secrets.ts";
import { bookRoutines } from "../../../lib/service/storage/book-routines.ts";
import { servicePool } from "../../../lib/service/storage/database.ts";
import { insertTokenPairsOfRefreshes } from "../../../lib/service/storage/tokens.ts";
import { type Round, type RoundLength, runClosedLoop, type Work } from "../load/round.ts";
import { answerCalls } from "../processes/calls.ts";

// Our hot statements, one per request, in a bare loop without HTTP, validation, or locks: the limit without batching.

let actors: Work[] = [];

const handlers = {
  prepareRefresh: async (load: { clientId: string; refreshTokens: string[]; callers: number }): Promise<void> => {
    actors = Array.from({ length: load.callers }, (_, place) => {
      const shown = load.refreshTokens.filter((_token, index) => index % load.callers === place).map(sha256);
      let turn = 0;
      return async () => {
        const user = turn++ % shown.length;
        const refresh = {
          clientId: load.clientId,
          shownTokenHash: shown[user] ?? Buffer.alloc(0),
          accessTokenHash: sha256(newSecret("gwa_")),
          refreshTokenHash: sha256(newSecret("gwr_")),
        };
        shown[user] = refresh.refreshTokenHash;
        return (await insertTokenPairsOfRefreshes(servicePool(), [refresh])).size === 1;
      };
    });
  },

  prepareBook: async (load: {
    clientId: string;
    userId: string;
    sourceIds: string[];
    destinationIds: string[];
    callers: number;
  }): Promise<void> => {
    const { clientId, userId } = load;
    let turn = 0;
    const work = async () => {
      turn++;
      const key = { clientId, userScope: userId, operation: "createBookRoutine", key: randomUUID() };
      const order = {
        routineId: newId(),
        transferId: newId(),
        ...{ clientId, userId, name: "Payout", amountCents: 1, totalRequestedCents: 1, traceId: "ab".repeat(16) },
        sourceId: load.sourceIds[turn % load.sourceIds.length] ?? "",
        destinationId: load.destinationIds[turn % load.destinationIds.length] ?? "",
        // Pending, so that only creation is measured.
        dueInMs: null,
      };
      const idempotency = { ...key, fingerprint: sha256(order.routineId) };
      await bookRoutines(servicePool(), [{ ...order, idempotency }], { skipLocked: false, lockTimeoutMs: 5000 });
      return true;
    };
    actors = Array.from({ length: load.callers }, () => work);
  },

  closedLoop: (length: RoundLength): Promise<Round> => runClosedLoop(actors, length),
};

export type StatementsProcess = typeof handlers;

answerCalls(handlers);
