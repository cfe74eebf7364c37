import { newId } from "../../kit/ids.ts";
import type { SleepNotice } from "../../kit/wake-loop.ts";
import type { channels } from "../storage/channels.ts";
import { database } from "../storage/database.ts";
import {
  deleteSleepingWorker,
  haveEnded,
  markTransactions,
  raiseWorker,
  upsertSleepingWorker,
} from "../storage/sleeping-workers.ts";

/** Where a worker of this process says until when it sleeps, for the triggers that notify its channel. */
export function sleepNotice(channel: (typeof channels)[keyof typeof channels]): SleepNotice {
  const worker = { channel, workerId: newId() };
  return {
    announce: async (sleepMs) => {
      await upsertSleepingWorker(database(), { ...worker, sleepMs });
      return markTransactions(database());
    },
    isHeard: (mark) => haveEnded(database(), mark),
    rise: () => raiseWorker(database(), worker),
    remove: () => deleteSleepingWorker(database(), worker),
  };
}
