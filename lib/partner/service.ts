import { createClient } from "#client";
import { log } from "../kit/log.ts";
import { processWide } from "../kit/memoize.ts";
import { inSpan } from "../kit/spans.ts";
import { partnerConfig } from "./config.ts";
import { recordCall } from "./inspector/record-call.ts";
import { currentAction } from "./requests/current-action.ts";

/** The service that Harbor's settings name. */
export const service = processWide("partner.client", () => {
  const { serviceBaseUrl, clientId, clientSecret, provider, isSandbox } = partnerConfig();
  const { idempotencyHeader, bookPath, bookFields, accountsPath } = partnerConfig();
  const to = {
    info: (entry: Record<string, unknown>, message: string) => log().info(entry, message),
    warn: (entry: Record<string, unknown>, message: string) => log().warn(entry, message),
    error: (entry: Record<string, unknown>, message: string) => log().error(entry, message),
  };
  return createClient({
    baseUrl: serviceBaseUrl,
    clientId,
    clientSecret,
    provider,
    idempotencyHeader,
    bookPath,
    bookFields,
    accountsPath,
    log: to,
    currentTraceId: () => currentAction()?.traceId,
    observe: isSandbox ? recordCall : undefined,
    inSpan,
  });
});
