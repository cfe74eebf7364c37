import type { Server } from "node:http";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { parseAddressesAndNetworks } from "../../../lib/kit/networks.ts";
import { partner } from "../../../lib/partner/process-partner.ts";
import { createServiceApi } from "../../../lib/service/http/app.ts";
import { chooseProviders } from "../../../lib/service/providers.ts";
import { sandboxPlug } from "../../../lib/service/sandbox/plug.ts";
import { startServiceWorkers } from "../../../lib/service/workers/start-workers.ts";
import { createGateway } from "../../gateway.ts";
import { openPublicSandbox, type PublicSandboxOptions } from "../plug.ts";

export type DemoResponse = {
  status: number;
  text: string;
  cookie: string | undefined;
  /** The attributes of that cookie. */
  attributes: string[];
  location: string | undefined;
};

export type PublicDemo = Awaited<ReturnType<typeof openPublicSandbox>> & {
  /** Requests Harbor's or Plainbook's public address through a proxy; by default like a browser that opens a page. */
  send: (
    app: "partner" | "service",
    path: string,
    options?: { method?: string; headers?: Record<string, string>; from?: string },
  ) => Promise<DemoResponse>;
  /** Harbor's. */
  port: number;
  close: () => Promise<void>;
};

/** Both gateways of a public demo, the service behind them, and a stand-in for Harbor's pages that names the visitor. */
export async function startPublicDemo(options: PublicSandboxOptions = {}): Promise<PublicDemo> {
  chooseProviders(sandboxPlug.providers);
  const api = getRequestListener(createServiceApi(sandboxPlug.api).fetch);
  const workers = startServiceWorkers();
  const opened = await openPublicSandbox({ api, pagesAt: undefined }, options);
  const origins = { partner: "http://demo.localhost", service: "http://plainbook.demo.localhost" };
  const listen = (app: "partner" | "service") =>
    open(
      createGateway({
        app,
        origin: origins[app],
        isDevelopment: false,
        trustedProxies: parseAddressesAndNetworks("127.0.0.1"),
        isOpen: () => true,
        isReady: async () => true,
        isWithinRate: async () => true,
        findFormTargets: async () => [],
        guard: opened.guards[app],
        pages: (incoming, response) => {
          const banner = incoming.headers["x-gangway-public-sandbox"];
          response.end(app === "partner" ? `${partner().config.clientId} ${banner}` : `a page ${banner}`);
        },
        ...(app === "service" && { api }),
      }),
    );
  const servers = { partner: await listen("partner"), service: await listen("service") };

  const send: PublicDemo["send"] = (app, path, { method = "GET", headers = {}, from = "203.0.113.7" } = {}) =>
    new Promise((resolve, reject) => {
      const sent = {
        host: new URL(origins[app]).host,
        accept: "text/html",
        "sec-fetch-dest": "document",
        "x-forwarded-for": from,
        ...headers,
      };
      const { port } = servers[app].address() as AddressInfo;
      const outgoing = request({ host: "127.0.0.1", port, path, method, headers: sent }, async (answer) => {
        const parts: Buffer[] = [];
        for await (const part of answer) parts.push(part as Buffer);
        const [cookie, ...attributes] = answer.headers["set-cookie"]?.[0]?.split("; ") ?? [];
        const { location } = answer.headers;
        const text = Buffer.concat(parts).toString();
        resolve({ status: answer.statusCode ?? 0, text, cookie, attributes, location });
      });
      outgoing.on("error", reject);
      outgoing.end();
    });

  return {
    ...opened,
    send,
    port: (servers.partner.address() as AddressInfo).port,
    close: async () => {
      for (const server of Object.values(servers)) {
        server.closeAllConnections();
        server.close();
      }
      await opened.stop();
      await workers.stop();
      await sandboxPlug.flush();
    },
  };
}

function open(listener: Parameters<typeof createServer>[1]): Promise<Server> {
  const server = createServer(listener ?? (() => undefined));
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}
