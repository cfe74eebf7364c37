import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type DatabaseProxy, startDatabaseProxy } from "./database-proxy.ts";

/** As the process sends its n-th message to PostgreSQL, or before the answer to it arrives. */
export type KillMoment = { message: number; when: "before" | "after" };

/** An API in its own process, connected to PostgreSQL through a proxy. */
export type ApiBehindProxy = { url: string; proxy: DatabaseProxy; process: ChildProcess; stop: () => Promise<void> };

export type KillableApi = {
  url: string;
  /** Counts messages to PostgreSQL from now on, and kills the process at this one. */
  killAt: (moment: KillMoment) => void;
  /** Returns whether it was killed. */
  stop: () => Promise<{ wasKilled: boolean }>;
};

/** An API that can be killed at each of its awaits for PostgreSQL. */
export async function startKillableApi(): Promise<KillableApi> {
  let wasKilled = false;
  const api = await startApiBehindProxy(() => {
    wasKilled = true;
    api.process.kill("SIGKILL");
    // PostgreSQL sees the connections end, as with a real crash.
    api.proxy.cutAll();
  });
  return {
    url: api.url,
    killAt: ({ message, when }) => {
      let messages = 0;
      api.proxy.judge(() => (++messages === message ? `cut ${when}` : "pass"));
    },
    stop: async () => {
      await api.stop();
      return { wasKilled };
    },
  };
}

/** `onCut` is called at the moment of each cut. */
export async function startApiBehindProxy(onCut?: () => void): Promise<ApiBehindProxy> {
  const proxy = await startDatabaseProxy(onCut);
  const child = fork(fileURLToPath(new URL("./api-process.ts", import.meta.url)), {
    env: { ...process.env, SERVICE_DATABASE_URL: proxy.url },
    execArgv: [],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    child.once("message", (message) => resolve(String(message)));
    child.once("exit", (code) => reject(new Error(`The API exited with ${code}.`)));
  });
  return {
    url,
    proxy,
    process: child,
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
      await proxy.stop();
    },
  };
}
