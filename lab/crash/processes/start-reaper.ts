import { fork } from "node:child_process";
import { once } from "node:events";

/**
 * A message to the reaper: a process to end, one that has already ended, or a folder of the run to delete at the end. Any
 * process with that folder in its command line is a server of the run and is ended too.
 */
export type ReaperMessage = { watch: number } | { forget: number } | { folder: string };

/** Ends every process it watches once this process is over, whether by `finish`, a failure, Ctrl-C or SIGKILL. */
export type Reaper = {
  send: (message: ReaperMessage) => void;
  /** Ends everything now; resolves when it is gone. */
  finish: () => Promise<void>;
};

/** Starts the reaper of a run. Report a process as soon as it starts, and a folder before it is used. */
export function startReaper(): Reaper {
  const child = fork(new URL("./reaper.ts", import.meta.url), { detached: true, execArgv: [], stdio: "ignore" });
  const ended = once(child, "exit");
  return {
    // Once it is over, what it ended is reported to it no more.
    send: (message) => void (child.connected && child.send(message)),
    finish: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
