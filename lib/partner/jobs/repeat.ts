import { log } from "../../kit/log.ts";

/** Work that is done again and again until it is stopped. */
export type RepeatedJob = {
  /** Ends the rest, or has the work done once more right after the run under way. */
  wake: () => void;
  /** Resolves once the run under way is over. */
  stop: () => Promise<void>;
};

/**
 * Does `run` now and after each rest. One that fails is logged and done again after the next rest.
 * @param restSeconds asked after each run
 */
export function repeat(
  job: string,
  run: () => Promise<void>,
  restSeconds: () => number | Promise<number>,
): RepeatedJob {
  let isStopped = false;
  let isWoken = false;
  let endRest = () => {};

  async function loop(): Promise<void> {
    while (!isStopped) {
      isWoken = false;
      try {
        await run();
      } catch (error) {
        log().error({ error, job }, "a job failed and will be tried again");
      }
      const seconds = await restSeconds();
      if (!isWoken && !isStopped) await rest(seconds);
    }
  }

  function rest(seconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000);
      endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  const looping = loop();
  return {
    wake: () => {
      isWoken = true;
      endRest();
    },
    stop: () => {
      isStopped = true;
      endRest();
      return looping;
    },
  };
}
