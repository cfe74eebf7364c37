import { createServer, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { log } from "../lib/kit/log.ts";
import { logConsoleError } from "../lib/kit/log-page-error.ts";
import { packageVersion } from "../lib/kit/package-version.ts";
import { beginProcessMetrics } from "../lib/kit/process-metrics.ts";
import { createGateway, type Guard } from "./gateway.ts";
import { type HttpServer, openHttpServer } from "./http-server.ts";
import { addressOf, findListenAddress, type ListenAddress, ownAddressOf } from "./listen-address.ts";
import { openMetricsListener } from "./metrics-listener.ts";
import { processSettings } from "./process-settings.ts";
import type { App, Role } from "./roles.ts";
import { readServerActions } from "./server-actions.ts";
import { beginTracing, endTracing, inPageSpan } from "./start-tracing.ts";
import type { Listener, StartedApp } from "./started-app.ts";

export type RunningServer = {
  /**
   * Stops accepting connections, finishes requests in flight and stops the workers. For `drainMs` before that, `/readyz` fails
   * while everything else is still answered, so that a proxy can send its requests elsewhere. Each answer closes its
   * connection, so that clients without a proxy move on too.
   */
  stop: (options?: { drainMs?: number }) => Promise<void>;
};

export type StartOptions = {
  pagesOnDemand?: boolean;
  openPublicSandbox?: OpenPublicSandbox | undefined;
};

/**
 * Opens a sandbox for each visitor: its guards see every request of the listeners. `api`: the service's. `pagesAt`: where this
 * process serves the authorization pages, on loopback.
 */
export type OpenPublicSandbox = (parts: {
  api: RequestListener;
  pagesAt: string | undefined;
}) => Promise<{ guards: Record<App, Guard>; stop: () => Promise<void> }>;

// How long requests in flight get when the process is asked to stop.
const graceMs = 5000;

/** Loads these roles' apps ahead of `startServer`, while a command waits for its database to start. */
export async function loadApps(roles: ReadonlySet<Role>): Promise<void> {
  if (runs(roles, "service-")) await (await import("./service-app.ts")).loadSandbox();
  if (runs(roles, "partner")) await import("./partner-app.ts");
}

/**
 * Migrates the databases, starts the workers and opens the listeners of these roles. `pagesOnDemand`: the first page loads
 * Next and waits for it, so that a program that needs only the API starts sooner. `openPublicSandbox`: the plug of
 * `npm run demo -- --public-url`, which nothing else loads.
 */
export async function startServer(
  roles: ReadonlySet<Role>,
  { pagesOnDemand = false, openPublicSandbox }: StartOptions = {},
): Promise<RunningServer> {
  const { trustedProxies, metricsListen } = processSettings();
  // Opens the log: a LOG_FILE that can't be written stops the start.
  log();
  beginProcessMetrics({ version: packageVersion, roles: [...roles].join(",") });
  await beginTracing(roles, packageVersion);
  const isDevelopment = process.env.NODE_ENV !== "production";
  const apps: [App, StartedApp][] = [];
  // The service first, because the partner may call it as soon as it runs. Imported on demand, because the package with only
  // the service doesn't contain the other app.
  const service = runs(roles, "service-") && (await (await import("./service-app.ts")).startServiceApp(roles));
  if (service) apps.push(["service", service]);
  const partner = runs(roles, "partner") && (await (await import("./partner-app.ts")).startPartnerApp(roles));
  if (partner) apps.push(["partner", partner]);
  const listeners: (Listener & { app: App; started: StartedApp; address: ListenAddress })[] = [];
  for (const [app, started] of apps) {
    for (const listener of started.listeners) {
      const address = await findListenAddress(listener.origin, listener.listen);
      listeners.push({ ...listener, app, started, address });
    }
  }
  const ofService = listeners.find(({ api }) => api);
  const visitors =
    ofService?.api &&
    (await openPublicSandbox?.({ api: ofService.api, pagesAt: addressOf(ownAddressOf(ofService.address)) }));
  const reloading = createServer();
  const pages = createPages(listeners, { isDevelopment, reloading });
  if (!pagesOnDemand) await pages?.prepare();
  // In development pages are built on demand.
  const actionsOf = pages && !isDevelopment ? readServerActions(process.env["NEXT_DIST_DIR"] || ".next") : undefined;

  let isOpen = true;
  const servers: HttpServer[] = [];
  for (const { app, started, hasPages, address, ...listener } of listeners) {
    const { continuesTraceAt, wrapPage = (_request, handle) => handle() } = started;
    const gateway = createGateway({
      ...started,
      ...listener,
      app,
      isDevelopment,
      trustedProxies,
      isOpen: () => isOpen,
      actionsOf,
      guard: visitors?.guards[app],
      ...(hasPages &&
        pages && {
          pages: async (request, response) => {
            const handler = (await pages.prepare()).getRequestHandler();
            inPageSpan({ app, continuesTraceAt }, request, response, () =>
              wrapPage(request, () => void handler(request, response)),
            );
          },
        }),
    });
    const opened = await openHttpServer(gateway, address);
    // Next expects its hot reload sockets on one server. They can be idle for long.
    if (isDevelopment) {
      opened.server.on("upgrade", (request, socket: Socket, head) => {
        socket.setTimeout(0);
        reloading.emit("upgrade", request, socket, head);
      });
    }
    servers.push(opened);
    log().info({ app, origin: listener.origin, ...address }, "listening");
  }
  const metrics = await openMetricsListener(metricsListen, {
    apps: apps.map(([, app]) => app),
    isOpen: () => isOpen,
  });
  log().info({ version: packageVersion, roles: [...roles] }, "started");

  async function stop({ drainMs = 0 } = {}): Promise<void> {
    isOpen = false;
    log().info({ version: packageVersion, drainMs }, "stopping");
    for (const server of servers) server.drain();
    await delay(drainMs);
    const closed = servers.map((server) => server.stop({ graceMs }));
    for (const [, app] of apps) await app.endStreams?.();
    await visitors?.stop();
    await Promise.all(closed);
    for (const [, app] of apps) await app.stop();
    await pages?.close();
    await endTracing();
    log().info({ version: packageVersion }, "stopped");
    // Last, so that metrics can be scraped until the end.
    await metrics?.stop({ graceMs });
  }
  return { stop };
}

function runs(roles: ReadonlySet<Role>, prefix: string): boolean {
  return [...roles].some((role) => role.startsWith(prefix));
}

/**
 * One Next for the pages of both apps, prepared once. After `redirect("/path")` in an action it requests that path, with the
 * visitor's cookies, from the address given here: our own listener, never a base address, which could lead to another server.
 * If Harbor runs, that's Harbor's listener, so the service's actions only redirect to other origins or refresh.
 */
function createPages(
  listeners: { hasPages: boolean; app: App; address: ListenAddress }[],
  { isDevelopment, reloading }: { isDevelopment: boolean; reloading: Server },
) {
  const first = listeners.toReversed().find(({ hasPages }) => hasPages);
  if (!first) return undefined;
  const { host, port } = ownAddressOf(first.address);
  let prepared: ReturnType<typeof prepareNext> | undefined;

  async function prepareNext() {
    // Imported on demand, because Next takes most of a process's initial memory.
    const { default: next } = await import("next");
    const pages = next({ dev: isDevelopment, quiet: !isDevelopment, hostname: host, port, httpServer: reloading });
    await pages.prepare();
    if (!isDevelopment) Object.assign(console, { error: logConsoleError });
    return pages;
  }
  return {
    prepare: () => {
      prepared ??= prepareNext();
      return prepared;
    },
    close: async () => (await prepared)?.close(),
  };
}
