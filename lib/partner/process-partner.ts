import { createClient } from "#client";
import { log } from "../kit/log.ts";
import { processWide } from "../kit/memoize.ts";
import { inSpan } from "../kit/spans.ts";
import { type PartnerConfig, partnerConfig } from "./config.ts";
import { createPartner, type Observer, type Partner } from "./partner.ts";
import { currentAction } from "./requests/current-action.ts";
import { type Database, openDatabase } from "./storage/database.ts";

// Next's bundles hold copies of modules, and all of them must have the same pools, refreshes and pauses.
const held = processWide("partner", () => ({ current: undefined as Partner | undefined }));

/** The partner of this process. Only pages, routes and the start of a process ask for it; features take it as an argument. */
export function partner(): Partner {
  return held().current ?? setPartner(openPartner(partnerConfig()));
}

/** Makes this the partner of this process. */
export function setPartner(made: Partner): Partner {
  held().current = made;
  return made;
}

/** Opens the database and the client that the settings name. `observeWith` makes what watches a sandbox: its inspector. */
export function openPartner(config: PartnerConfig, observeWith?: (database: Database) => Observer): Partner {
  const database = openDatabase(config);
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
