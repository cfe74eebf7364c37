import { createServer, type RequestListener, type Server } from "node:http";
import next from "next";
import { log } from "../lib/kit/log.ts";
import { createDoor } from "./door.ts";
import type { House } from "./house-paths.ts";
import { type HttpServer, openHttpServer } from "./http-server.ts";
import { startPartnerHouse } from "./partner-house.ts";
import { processSettings } from "./process-settings.ts";
import type { Role } from "./roles.ts";
import { startServiceHouse } from "./service-house.ts";
import type { StartedHouse } from "./started-house.ts";

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
  const reloading = createServer();
  const pages = preparePages(houses, { isDevelopment, reloading });
  await pages?.prepare();

  let isOpen = true;
  const servers: HttpServer[] = [];
  for (const [house, { doors, findFormTargets, isReady }] of houses) {
    for (const { origin, hasPages, api } of doors) {
      const handler = hasPages ? pages?.getRequestHandler() : undefined;
      const door = createDoor({
        house,
        origin,
        isDevelopment,
        isOpen: () => isOpen,
        isReady,
        findFormTargets,
        ...(handler && { pages: (request, response) => void handler(request, response) }),
        ...(api && { api }),
      });
      const opened = await listen(door, origin);
      // Next listens for its reload sockets on one server; each door hands its own on to that one.
      if (isDevelopment) opened.server.on("upgrade", (...socket) => reloading.emit("upgrade", ...socket));
      servers.push(opened);
      log().info({ house, origin }, "door open");
    }
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
 * One Next for the pages of both houses. After `redirect("/path")` in an action it asks itself for that path, at the one
 * address given here: Harbor's where Harbor runs, so the service's actions only redirect to other origins or refresh.
 */
function preparePages(
  houses: [House, StartedHouse][],
  { isDevelopment, reloading }: { isDevelopment: boolean; reloading: Server },
) {
  const doors = houses.toReversed().flatMap(([, house]) => house.doors);
  const first = doors.find(({ hasPages }) => hasPages);
  if (!first) return undefined;
  const { hostname, port } = new URL(first.origin);
  return next({ dev: isDevelopment, quiet: !isDevelopment, hostname, port: Number(port || 80), httpServer: reloading });
}

/** Loopback unless told otherwise (Decision D1): the host of the door's own address. */
function listen(door: RequestListener, origin: string): Promise<HttpServer> {
  const { hostname, port, protocol } = new URL(origin);
  const { listenHost, connectionsMax } = processSettings();
  return openHttpServer(door, {
    port: Number(port || (protocol === "https:" ? 443 : 80)),
    host: listenHost ?? hostname,
    connectionsMax,
  });
}
