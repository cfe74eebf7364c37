import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { clientHint } from "../../lib/service/domain/client-hint.ts";
import type { Reaper } from "../processes/start-reaper.ts";

/** HAProxy with the project's own file, which knows where each client lives. */
export type Router = {
  url: string;
  /** Sends what is asked for a client to the other installation from now on. */
  send: (clientId: string, to: Home) => Promise<void>;
};

export type Home = "first" | "second";

const startTriesMax = 100;

/** Starts it before two installations, in a folder that exists; all these clients live in the first one. The reaper ends it. */
export async function startRouter({
  program,
  folder,
  reaper,
  port,
  addresses,
  clientIds,
}: {
  program: string;
  folder: string;
  reaper: Reaper;
  /** Where it listens. */
  port: number;
  addresses: Record<Home, string>;
  clientIds: string[];
}): Promise<Router> {
  const [map, socket] = [join(folder, "clients.map"), join(folder, "router.sock")];
  writeFileSync(map, clientIds.map((id) => `${clientHint(id)} first\n`).join(""));
  const address = `127.0.0.1:${port}`;
  const child = spawn(program, ["-db", "-f", "docs/scaling/haproxy.cfg"], {
    env: {
      ...process.env,
      ROUTER_ADDRESS: address,
      ROUTER_HOST: address,
      ROUTER_SOCKET: socket,
      ROUTER_MAP: map,
      FIRST_ADDRESS: addresses.first,
      SECOND_ADDRESS: addresses.second,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  reaper.tell({ watch: child.pid ?? 0 });
  mkdirSync("test-results/logs", { recursive: true });
  const log = createWriteStream(`test-results/logs/crash-${process.pid}-router.log`, { flags: "a" });
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  for (let tries = 1; !(await isServing(`http://${address}`)); tries++) {
    if (tries === startTriesMax) throw new Error("HAProxy does not start; test-results/logs says why.");
    await delay(100);
  }
  return {
    url: `http://${address}`,
    send: async (clientId, to) => {
      const answer = await tell(socket, `set map ${map} ${clientHint(clientId)} ${to}`);
      if (answer.trim() !== "") throw new Error(`HAProxy does not send a client elsewhere: ${answer.trim()}`);
    },
  };
}

function isServing(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

function tell(socket: string, command: string): Promise<string> {
  const connection = connect(socket);
  connection.write(`${command}\n`);
  return text(connection);
}
