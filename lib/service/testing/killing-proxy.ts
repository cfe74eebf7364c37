import { type ChildProcess, fork } from "node:child_process";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { serviceConfig } from "../config.ts";

/** When the process dies: as it sends its n-th message to PostgreSQL, or when the answer to that message is on its way. */
export type Death = { message: number; when: "before" | "after" };

/** An API in a process of its own whose every word with PostgreSQL passes through this one. */
export type MortalApi = {
  url: string;
  /** From now on counts messages to PostgreSQL, and kills the process at this one. */
  dieAt: (death: Death) => void;
  /** Ends whatever still runs; tells whether it had been killed. */
  stop: () => Promise<{ wasKilled: boolean }>;
};

/** Starts an API that can be killed at any of its awaits for PostgreSQL, without a word of this in the API itself. */
export async function startMortalApi(): Promise<MortalApi> {
  let death: Death | undefined;
  let messages = 0;
  let wasKilled = false;
  let child: ChildProcess | undefined;
  const sockets = new Set<Socket>();

  function kill(): void {
    wasKilled = true;
    child?.kill("SIGKILL");
    // PostgreSQL sees the connections end, as it would with the process's own.
    for (const socket of sockets) socket.destroy();
  }

  const databaseUrl = new URL(serviceConfig().databaseUrl);
  const proxy = createServer((own) => {
    const upstream = connect(Number(databaseUrl.port || 5432), databaseUrl.hostname);
    let isLastWord = false;
    for (const socket of [own, upstream]) sockets.add(socket.on("error", () => socket.destroy()));
    own.on("data", (message) => {
      if (death) messages += 1;
      if (death && messages === death.message) {
        if (death.when === "before") return kill();
        isLastWord = true;
      }
      upstream.write(message);
    });
    upstream.on("data", (answer) => (isLastWord ? kill() : own.write(answer)));
    own.on("close", () => upstream.destroy());
    upstream.on("close", () => own.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const through = new URL(databaseUrl);
  through.hostname = "127.0.0.1";
  through.port = String((proxy.address() as AddressInfo).port);

  child = fork(fileURLToPath(new URL("./api-process.ts", import.meta.url)), {
    env: { ...process.env, SERVICE_DATABASE_URL: through.href },
    execArgv: [],
  });
  const ended = new Promise<void>((resolve) => child?.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    child?.once("message", (message) => resolve(String(message)));
    child?.once("exit", (code) => reject(new Error(`The API ended with ${code}.`)));
  });
  return {
    url,
    dieAt: (next) => {
      death = next;
    },
    stop: async () => {
      child?.kill("SIGKILL");
      await ended;
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
      return { wasKilled };
    },
  };
}
