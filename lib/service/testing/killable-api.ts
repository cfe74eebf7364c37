import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type DatabaseProxy, startDatabaseProxy } from "./database-proxy.ts";

/** When the process is killed: as it sends its n-th message to PostgreSQL, or when the answer to that message is on its way. */
export type KillMoment = { message: number; when: "before" | "after" };

/** An API in a process of its own whose connections to PostgreSQL pass through a proxy. */
export type ApiBehindProxy = { url: string; proxy: DatabaseProxy; process: ChildProcess; stop: () => Promise<void> };

/** An API that is killed at a chosen message. */
export type KillableApi = {
  url: string;
  /** From now on counts messages to PostgreSQL, and kills the process at this one. */
  killAt: (moment: KillMoment) => void;
  /** Ends whatever still runs; tells whether it had been killed. */
  stop: () => Promise<{ wasKilled: boolean }>;
};

/** Starts an API that can be killed at any of its awaits for PostgreSQL; the API itself knows nothing of it. */
export async function startKillableApi(): Promise<KillableApi> {
  let wasKilled = false;
  const api = await startApiBehindProxy(() => {
    wasKilled = true;
    api.process.kill("SIGKILL");
    // PostgreSQL sees the connections end, as it would with the process's own.
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

/** Starts an API whose connections to PostgreSQL can be cut. `onCut` is called in the moment of each cut. */
export async function startApiBehindProxy(onCut?: () => void): Promise<ApiBehindProxy> {
  const proxy = await startDatabaseProxy(onCut);
  const child = fork(fileURLToPath(new URL("./api-process.ts", import.meta.url)), {
    env: { ...process.env, SERVICE_DATABASE_URL: proxy.url },
    execArgv: [],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    child.once("message", (message) => resolve(String(message)));
    child.once("exit", (code) => reject(new Error(`The API ended with ${code}.`)));
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
