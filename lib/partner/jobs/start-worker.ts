import { log } from "../../kit/log.ts";
import { resolveRoutines } from "../routines/resolve-routines.ts";
import { database } from "../storage/database.ts";
import { secondsUntilNextReceipt } from "../storage/webhook-receipts.ts";
import { listenForWork } from "../storage/work-signal.ts";
import { renewOldTokens } from "../tokens/renew-tokens.ts";
import { workOffWebhooks } from "../webhooks/work-off-webhooks.ts";
import { sweep } from "./sweep.ts";

// Even when nobody says anything, this often; it also bounds how late a missed word is noticed.
const secondsBetweenLooksMax = 5;
// Tokens are renewed by the week, so looking by the minute is plenty.
const secondsBetweenRenewals = 60;
const secondsBetweenSweeps = 60 * 60;

/**
 * Harbor's worker: applies webhooks, asks again about routines without an answer, renews tokens, deletes
 * what ended long ago. Woken by a NOTIFY from
 * whichever process received a webhook, and by the next due time. Any number may run: each takes its own share.
 */
export async function startPartnerWorker(): Promise<{ stop: () => Promise<void> }> {
  let isStopped = false;
  let isWoken = false;
  let wake = () => {};
  let renewedAt = Number.NEGATIVE_INFINITY;
  let sweptAt = Number.NEGATIVE_INFINITY;

  const signal = listenForWork(() => {
    isWoken = true;
    wake();
  });
  const loop = work();

  async function work(): Promise<void> {
    while (!isStopped) {
      isWoken = false;
      await attempt("webhooks", workOffWebhooks);
      await attempt("routines", resolveRoutines);
      if (performance.now() - renewedAt > secondsBetweenRenewals * 1000) {
        renewedAt = performance.now();
        await attempt("tokens", renewOldTokens);
      }
      if (performance.now() - sweptAt > secondsBetweenSweeps * 1000) {
        sweptAt = performance.now();
        await attempt("sweep", sweep);
      }
      await rest();
    }
  }

  async function rest(): Promise<void> {
    const seconds = Math.min((await untilNextReceipt()) ?? secondsBetweenLooksMax, secondsBetweenLooksMax);
    if (isWoken || isStopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(seconds, 0) * 1000);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function stop(): Promise<void> {
    isStopped = true;
    wake();
    await loop;
    await signal.stop();
  }
  return { stop };
}

async function untilNextReceipt(): Promise<number | undefined> {
  try {
    return await secondsUntilNextReceipt(database());
  } catch {
    // The database is away; the next look says so.
    return undefined;
  }
}

async function attempt(job: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    log().error({ error, job }, "a job failed and will be tried again");
  }
}
