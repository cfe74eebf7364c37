import { serviceConfig } from "../../config.ts";
import type { ConsoleClient } from "./console-session.ts";

/** Makes a call of the service over HTTP, as any client could, with the client's own credentials. */
export function callService(
  { clientId, clientSecret }: ConsoleClient,
  path: string,
  init: { method?: string; headers?: Record<string, string>; body?: string; signal?: AbortSignal } = {},
): Promise<Response> {
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(":");
  const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
  return fetch(new URL(path, serviceConfig().baseUrl), {
    ...init,
    headers: { ...init.headers, authorization },
    cache: "no-store",
  });
}
