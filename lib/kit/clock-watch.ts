import type pg from "pg";
import { log } from "./log.ts";
import { processWide } from "./memoize.ts";

export type ClockWatch = {
  /** Whether the clocks differed by at most a minute when last measured. */
  isRight: () => boolean;
  check: () => Promise<void>;
  stop: () => void;
};

const differenceSecondsMax = 60;
const differences = processWide("clock.differences", () => new Map<string, number>());

/** How many seconds this process's clock was ahead of each app's database at the last check. */
export function clockDifferences(): ReadonlyMap<string, number> {
  return differences();
}

/** Compares this process's clock with its app's database now and every 30 s until `stop`. Only tests set `everyMs`. */
export async function watchClock(
  pool: pg.Pool,
  app: string,
  { now = Date.now, everyMs = 30_000 }: { now?: () => number; everyMs?: number } = {},
): Promise<ClockWatch> {
  let isRight = true;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<void> {
    try {
      const measured = await measure();
      if (!isStopped) judge(measured);
    } catch {
      differences().delete(app);
    }
  }

  async function measure(): Promise<{ seconds: number; uncertainSeconds: number }> {
    const localMs = now();
    const startedAt = performance.now();
    const { rows } = await pool.query<{ time: number }>("select extract(epoch from clock_timestamp())::float8 as time");
    const uncertainSeconds = (performance.now() - startedAt) / 2000;
    return { seconds: localMs / 1000 + uncertainSeconds - (rows[0]?.time ?? Number.NaN), uncertainSeconds };
  }

  function judge({ seconds, uncertainSeconds }: { seconds: number; uncertainSeconds: number }): void {
    differences().set(app, seconds);
    const wasRight = isRight;
    if (Math.abs(seconds) - uncertainSeconds > differenceSecondsMax) isRight = false;
    else if (Math.abs(seconds) + uncertainSeconds <= differenceSecondsMax) isRight = true;
    const facts = { app, differenceSeconds: seconds };
    if (wasRight && !isRight) {
      log().error(facts, "this process's clock differs from its database's by more than a minute");
    } else if (isRight && !wasRight) {
      log().warn(facts, "this process's clock agrees with its database's again");
    }
  }

  async function checkAgain(): Promise<void> {
    await check();
    if (!isStopped) timer = setTimeout(checkAgain, everyMs).unref();
  }

  await checkAgain();
  return {
    isRight: () => isRight,
    check,
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      differences().delete(app);
    },
  };
}
