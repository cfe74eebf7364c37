import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type HttpListener, listenOnFreePort } from "../../kit/testing/http-listener.ts";
import { createServiceApi } from "../http/app.ts";
import { answerAuthorizationRequest } from "../pages/authorization-entry.ts";
import { sandboxApi } from "../sandbox/http/sandbox-routes.ts";

/**
 * Serves the API and the authorization entry over HTTP for third-party clients; `url` is the base address and the
 * issuer. Call it before the settings are read.
 */
export async function startListeningService(): Promise<HttpListener> {
  let api: RequestListener | undefined;
  const entry = getRequestListener(answerAuthorizationRequest);
  const listener = await listenOnFreePort((request, response) => {
    const answer = request.url?.startsWith("/login/oauth/authorize") ? entry : api;
    answer?.(request, response);
  });
  process.env["SERVICE_BASE_URL"] = listener.url;
  process.env["SERVICE_AUTH_URL"] = listener.url;
  api = getRequestListener(createSandboxApi().fetch);
  return listener;
}

export const createSandboxApi = () => createServiceApi(sandboxApi);
