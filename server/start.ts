import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import next from "next";
import { log } from "../lib/kit/log.ts";
import { createDoor } from "./door.ts";
import type { House } from "./house-paths.ts";
import { type HttpServer, openHttpServer } from "./http-server.ts";
import { findListenAddress, type ListenAddress, ownAddressOf } from "./listen-address.ts";
import { startPartnerHouse } from "./partner-house.ts";
import { processSettings } from "./process-settings.ts";
import type { Role } from "./roles.ts";
import { readServerActions } from "./server-actions.ts";
import { startServiceHouse } from "./service-house.ts";
import type { Listener, StartedHouse } from "./started-house.ts";

export type RunningServer = { stop: () => Promise<void> };

// Requests under way get this long to finish when the process is asked to stop.
const graceMs = 5000;

/** Starts the roles of this process: databases brought up to date, workers running, doors listening. */
export async function startServer(roles: ReadonlySet<Role>): Promise<RunningServer> {
  const isDevelopment = process.env.NODE_ENV !== "production";
  const houses: [House, StartedHouse][] = [
    // The service first: the partner may ask it things as soon as it runs.
    ["service", await startServiceHouse(roles)],
    ["partner", await startPartnerHouse(roles)],
  ];
  const { connectionsMax, listenHost, trustedProxies } = processSettings();
  const listeners: (Listener & { house: House; started: StartedHouse; address: ListenAddress })[] = [];
  for (const [house, started] of houses) {
    for (const door of started.doors) {
      const address = await findListenAddress(door.origin, { listenHost, listenPort: door.listenPort });
      listeners.push({ ...door, house, started, address });
    }
  }
  const reloading = createServer();
  const pages = preparePages(listeners, { isDevelopment, reloading });
  await pages?.prepare();
  // In development each page is built when it is asked for first, so nobody knows yet which actions it will hold.
  const actionsOf = pages && !isDevelopment ? readServerActions(process.env["NEXT_DIST_DIR"] || ".next") : undefined;

  let isOpen = true;
  const servers: HttpServer[] = [];
  for (const { house, started, origin, hasPages, api, address } of listeners) {
    const handler = hasPages ? pages?.getRequestHandler() : undefined;
    const { isReady, isWithinRate, findFormTargets } = started;
    const door = createDoor({
      house,
      origin,
      isDevelopment,
      trustedProxies,
      isOpen: () => isOpen,
      isReady,
      isWithinRate,
      findFormTargets,
      actionsOf,
      ...(handler && { pages: (request, response) => void handler(request, response) }),
      ...(api && { api }),
    });
    const opened = await openHttpServer(door, { ...address, connectionsMax });
    // Next listens for its reload sockets on one server; each door hands its own on to that one. They may be silent for long.
    if (isDevelopment) {
      opened.server.on("upgrade", (request, socket: Socket, head) => {
        socket.setTimeout(0);
        reloading.emit("upgrade", request, socket, head);
      });
    }
    servers.push(opened);
    log().info({ house, origin, ...address }, "door open");
  }

  async function stop(): Promise<void> {
    isOpen = false;
    const closed = servers.map((server) => server.stop({ graceMs }));
    for (const [, house] of houses) await house.endStreams?.();
    await Promise.all(closed);
    for (const [, house] of houses) await house.stop();
    await pages?.close();
  }
  return { stop };
}

/**
 * One Next for the pages of both houses. After `redirect("/path")` in an action it asks itself for that path, cookies and
 * all, at the one address given here. That is what our own listener is bound to and never what a base address names: there
 * a proxy or a stranger may answer, and the question would go out in the clear. Harbor's where Harbor runs, so the service's
 * actions only redirect to other origins or refresh.
 */
function preparePages(
  listeners: { hasPages: boolean; house: House; address: ListenAddress }[],
  { isDevelopment, reloading }: { isDevelopment: boolean; reloading: Server },
) {
  const first = listeners.toReversed().find(({ hasPages }) => hasPages);
  if (!first) return undefined;
  const { host, port } = ownAddressOf(first.address);
  return next({ dev: isDevelopment, quiet: !isDevelopment, hostname: host, port, httpServer: reloading });
}
