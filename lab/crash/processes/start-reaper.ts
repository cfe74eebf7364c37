import { fork } from "node:child_process";
import { once } from "node:events";

/**
 * What the reaper is told: a process to end, one that has ended by itself, a folder of the run's own to delete at the end. Who
 * has the folder in its command is a server of the run, whoever started it, and ends too.
 */
export type ReaperMessage = { watch: number } | { forget: number } | { folder: string };

/** Ends every process that it was told of once this process is over, whether by `finish`, a failure, Ctrl-C or SIGKILL. */
export type Reaper = {
  tell: (message: ReaperMessage) => void;
  /** Ends everything now; resolves when it is gone. */
  finish: () => Promise<void>;
};

/** Starts the reaper of a run. It must be told of a process as soon as there is one, and of a folder before. */
export function startReaper(): Reaper {
  const child = fork(new URL("./reaper.ts", import.meta.url), { detached: true, execArgv: [], stdio: "ignore" });
  const ended = once(child, "exit");
  return {
    // Once it is over, what it ended is reported to it no more.
    tell: (message) => void (child.connected && child.send(message)),
    finish: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
