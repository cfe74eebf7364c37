import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { log } from "../lib/kit/log.ts";
import { logConsoleError } from "../lib/kit/log-page-error.ts";
import type { App } from "./app-paths.ts";
import { createGateway } from "./gateway.ts";
import { type HttpServer, openHttpServer } from "./http-server.ts";
import { findListenAddress, type ListenAddress, ownAddressOf } from "./listen-address.ts";
import { openMetricsListener } from "./metrics-listener.ts";
import { processSettings } from "./process-settings.ts";
import type { Role } from "./roles.ts";
import { readServerActions } from "./server-actions.ts";
import { beginTracing, endTracing, inPageSpan } from "./start-tracing.ts";
import type { Listener, StartedApp } from "./started-app.ts";

export type RunningServer = { stop: () => Promise<void> };

// Requests under way get this long to finish when the process is asked to stop.
const graceMs = 5000;

/** Starts the roles of this process: migrates the databases, starts the workers, opens the listeners. */
export async function startServer(roles: ReadonlySet<Role>): Promise<RunningServer> {
  // Opens it: a LOG_FILE that cannot be written stops the start.
  log();
  await beginTracing(roles);
  const isDevelopment = process.env.NODE_ENV !== "production";
  const apps: [App, StartedApp][] = [];
  // The service first: the partner may call it as soon as it runs. A process loads nothing of an app that it does not run,
  // and the package that holds the service alone does not even have the other one.
  const service = runs(roles, "service-") && (await (await import("./service-app.ts")).startServiceApp(roles));
  if (service) apps.push(["service", service]);
  const partner = runs(roles, "partner") && (await (await import("./partner-app.ts")).startPartnerApp(roles));
  if (partner) apps.push(["partner", partner]);
  const { trustedProxies, metricsListen } = processSettings();
  const listeners: (Listener & { app: App; started: StartedApp; address: ListenAddress })[] = [];
  for (const [app, started] of apps) {
    for (const listener of started.listeners) {
      const address = await findListenAddress(listener.origin, listener.listen);
      listeners.push({ ...listener, app, started, address });
    }
  }
  const reloading = createServer();
  const pages = await preparePages(listeners, { isDevelopment, reloading });
  // In development a page is built at its first request, so its actions are not known yet.
  const actionsOf = pages && !isDevelopment ? readServerActions(process.env["NEXT_DIST_DIR"] || ".next") : undefined;

  let isOpen = true;
  const servers: HttpServer[] = [];
  for (const { app, started, origin, hasPages, api, apiUrl, address } of listeners) {
    const handler = hasPages ? pages?.getRequestHandler() : undefined;
    const { isReady, isWithinRate, findFormTargets, takesTraceAt, surround = (_request, handle) => handle() } = started;
    const gateway = createGateway({
      app,
      origin,
      isDevelopment,
      trustedProxies,
      isOpen: () => isOpen,
      isReady,
      isWithinRate,
      findFormTargets,
      actionsOf,
      ...(handler && {
        pages: (request, response) =>
          inPageSpan({ app, takesTraceAt }, request, response, () =>
            surround(request, () => void handler(request, response)),
          ),
      }),
      ...(api && { api }),
      ...(apiUrl && { apiUrl }),
    });
    const opened = await openHttpServer(gateway, address);
    // Next expects its reload sockets on one server; each listener hands its own to that one. They may be idle for long.
    if (isDevelopment) {
      opened.server.on("upgrade", (request, socket: Socket, head) => {
        socket.setTimeout(0);
        reloading.emit("upgrade", request, socket, head);
      });
    }
    servers.push(opened);
    log().info({ app, origin, ...address }, "listening");
  }
  const operator = await openMetricsListener(metricsListen, {
    apps: apps.map(([, app]) => app),
    isOpen: () => isOpen,
  });
  if (operator) servers.push(operator);

  async function stop(): Promise<void> {
    isOpen = false;
    const closed = servers.map((server) => server.stop({ graceMs }));
    for (const [, app] of apps) await app.endStreams?.();
    await Promise.all(closed);
    for (const [, app] of apps) await app.stop();
    await pages?.close();
    await endTracing();
  }
  return { stop };
}

function runs(roles: ReadonlySet<Role>, prefix: string): boolean {
  return [...roles].some((role) => role.startsWith(prefix));
}

/**
 * One Next for the pages of both apps. After `redirect("/path")` in an action it requests that path, with the visitor's
 * cookies, from the one address given here. That is the address our own listener is bound to and never a base address, where
 * a proxy or a stranger could answer and the request would leave in the clear. It is Harbor's listener where Harbor runs, so
 * the service's actions only redirect to other origins or refresh.
 */
async function preparePages(
  listeners: { hasPages: boolean; app: App; address: ListenAddress }[],
  { isDevelopment, reloading }: { isDevelopment: boolean; reloading: Server },
) {
  const first = listeners.toReversed().find(({ hasPages }) => hasPages);
  if (!first) return undefined;
  const { host, port } = ownAddressOf(first.address);
  // Only here, because it is most of the memory that a process begins with.
  const { default: next } = await import("next");
  const pages = next({ dev: isDevelopment, quiet: !isDevelopment, hostname: host, port, httpServer: reloading });
  await pages.prepare();
  if (!isDevelopment) Object.assign(console, { error: logConsoleError });
  return pages;
}
