import { createClient } from "#client";
import { log } from "../kit/log.ts";
import { processWide } from "../kit/memoize.ts";
import { inSpan } from "../kit/spans.ts";
import { type PartnerConfig, partnerConfig } from "./config.ts";
import { createPartner, type Observer, type Partner } from "./partner.ts";
import { currentAction } from "./requests/current-action.ts";
import { type Database, openDatabase } from "./storage/database.ts";

// Next's bundles contain copies of modules, which must share one partner.
const held = processWide("partner", () => ({ current: undefined as Partner | undefined }));

/** The partner of this process, for pages, routes and process start; features take it as an argument. */
export function partner(): Partner {
  return held().current ?? setPartner(openPartner(partnerConfig()));
}

export function setPartner(made: Partner): Partner {
  held().current = made;
  return made;
}

/** Opens database and client by the settings. `observeWith` makes a sandbox's observer, its inspector. */
export function openPartner(
  config: PartnerConfig,
  observeWith?: (database: Database) => Observer,
  database = openDatabase(config),
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
    observe: observe?.call,
    inSpan,
  });
  return createPartner({ config, database, client, clock: () => new Date(), observe });
}
