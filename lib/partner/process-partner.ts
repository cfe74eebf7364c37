import { createClient } from "#client";
import type { ProviderModule } from "../contract/providers.ts";
import { log } from "../kit/log.ts";
import { processWide } from "../kit/memoize.ts";
import { callMeter } from "../kit/request-meter.ts";
import { inSpan } from "../kit/spans.ts";
import { type PartnerConfig, partnerConfig } from "./config.ts";
import { createPartner, type Observer, type Partner } from "./partner.ts";
import { currentAction } from "./requests/current-action.ts";
import { type Database, openDatabase } from "./storage/database.ts";

// Next bundles several copies of this module, which must share one partner.
const held = processWide("partner", (): { current?: Partner; choose?: () => Partner } => ({}));

/** This process's partner, for pages, routes and startup. Features take it as an argument. */
export function partner(): Partner {
  const { choose, current } = held();
  return choose?.() ?? current ?? setPartner(openPartner(partnerConfig()));
}

/** Picks the partner of each request from now on: a public sandbox has one per visitor. It throws if there is none. */
export function setPartnerResolver(choose: () => Partner): void {
  held().choose = choose;
}

export function setPartner(made: Partner): Partner {
  held().current = made;
  return made;
}

/** `observeWith` creates the inspector in a sandbox. */
export type OpeningParts = {
  observeWith?: (database: Database) => Observer;
  providers?: ProviderModule;
  database?: Database;
};

/** Opens the database and the client from the settings. */
export function openPartner(
  config: PartnerConfig,
  { observeWith, providers, database = openDatabase(config) }: OpeningParts = {},
): Partner {
  const observe = config.isSandbox ? observeWith?.(database) : undefined;
  const client = createClient({
    baseUrl: config.serviceBaseUrl,
    clientId: config.clientId,
    clientSecret: config.clientSecret,
    provider: config.provider,
    idempotencyHeader: config.idempotencyHeader,
    bookPath: config.bookPath,
    bookFields: config.bookFields,
    accountsPath: config.accountsPath,
    log: {
      info: (entry, message) => log().info(entry, message),
      warn: (entry, message) => log().warn(entry, message),
      error: (entry, message) => log().error(entry, message),
    },
    currentTraceId: () => currentAction()?.traceId,
    observe: (call) => {
      const { method, route, answer, durationMs } = call;
      callMeter({ to: "service", method, route }).observe(
        answer.kind === "unreachable" ? 0 : answer.status,
        durationMs,
      );
      observe?.call(call);
    },
    inSpan,
  });
  return createPartner({ config, database, client, clock: () => new Date(), providers, observe });
}
