import { fork } from "node:child_process";
import { once } from "node:events";

/**
 * A process for the reaper to stop, an exited process, or a folder to delete at the end. Processes with that folder in
 * their command line are stopped, too.
 */
export type ReaperMessage = { watch: number } | { forget: number } | { folder: string };

/** Stops every watched process once this one is over: `finish`, failure, Ctrl-C, or SIGKILL. */
export type Reaper = {
  send: (message: ReaperMessage) => void;
  finish: () => Promise<void>;
};

/** Starts a run's reaper. Report processes as they start, and folders before using them. */
export function startReaper(): Reaper {
  const child = fork(new URL("./reaper.ts", import.meta.url), { detached: true, execArgv: [], stdio: "ignore" });
  const ended = once(child, "exit");
  return {
    // Don't report to a finished reaper.
    send: (message) => void (child.connected && child.send(message)),
    finish: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
