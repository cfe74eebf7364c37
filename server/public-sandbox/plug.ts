import { AsyncLocalStorage } from "node:async_hooks";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { processWide } from "../../lib/kit/memoize.ts";
import { partnerConfig } from "../../lib/partner/config.ts";
import type { Partner } from "../../lib/partner/partner.ts";
import { setPartnerResolver } from "../../lib/partner/process-partner.ts";
import { createGateway } from "../gateway.ts";
import { openHttpServer } from "../http-server.ts";
import type { OpenPublicSandbox } from "../start.ts";
import { createGuards } from "./guards.ts";
import { openHarborSchemas } from "./harbor-schemas.ts";
import { answerHooks, hooksPathOf } from "./hooks.ts";
import { type PublicLimits, publicLimits } from "./limits.ts";
import { openVisitors } from "./visitors.ts";

/** For tests. */
export type PublicSandboxOptions = { limits?: Partial<PublicLimits>; now?: () => number };

// Long enough for the listeners to open, which spare sandboxes need.
const firstPollMs = 3000;
const pollMs = 30_000;

const current = processWide("public_sandbox.partner", () => new AsyncLocalStorage<Partner>());

/**
 * A sandbox for each visitor of a public demo (docs/decisions/0007): a client of the service, and Harbor's tables in their own
 * schema. After this call, a request reaches only its own visitor's Harbor.
 */
export async function openPublicSandbox(
  { api, pagesAt }: Parameters<OpenPublicSandbox>[0],
  { limits: others, now = Date.now }: PublicSandboxOptions = {},
) {
  const limits = { ...publicLimits, ...others };
  const config = partnerConfig();
  setPartnerResolver(() => {
    const chosen = current().getStore();
    if (!chosen) throw new Error("A request of no visitor reached the partner app.");
    return chosen;
  });
  let answer: RequestListener = (_request, response) => response.writeHead(503).end();
  const loopback = await openHttpServer((request, response) => answer(request, response), {
    host: "127.0.0.1",
    port: 0,
  });
  const apiUrl = `http://127.0.0.1:${(loopback.server.address() as AddressInfo).port}`;
  const schemas = openHarborSchemas(config.databaseDirectUrl);
  const visitors = openVisitors({
    config,
    schemas,
    limits,
    now,
    apiUrl,
    hooksUrl: (id) => apiUrl + hooksPathOf(id),
    pagesAt,
  });
  answer = answerHooks(visitors, apiGateway(apiUrl, api));
  let polling: Promise<void> | undefined;
  let timer = setTimeout(poll, firstPollMs);
  function poll(): void {
    polling = visitors.sweep().finally(() => {
      timer = setTimeout(poll, pollMs);
    });
  }

  return {
    guards: createGuards({
      visitors,
      limits,
      isSecure: config.baseUrl.startsWith("https:"),
      within: (partner, serve) => current().run(partner, serve),
    }),
    visitors,
    countConnections: schemas.countConnections,
    stop: async () => {
      clearTimeout(timer);
      await polling;
      clearTimeout(timer);
      await visitors.stop();
      await loopback.stop({ graceMs: 2000 });
      await schemas.stop();
    },
  };
}

/** The service's API, for Harbor only: the public address serves none of it. */
function apiGateway(origin: string, api: RequestListener): RequestListener {
  return createGateway({
    app: "service",
    origin,
    api,
    isDevelopment: false,
    trustedProxies: [],
    isOpen: () => true,
    isReady: async () => true,
    isWithinRate: async () => true,
    findFormTargets: async () => [],
  });
}
