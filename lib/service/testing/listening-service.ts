import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { answerAuthorizationRequest } from "../pages/authorization-entry.ts";
import { createSandboxApi } from "./sandbox-api.ts";

/** The service on a port of its own: `url` is its base address and its issuer. */
export type ListeningService = { url: string; stop: () => Promise<void> };

/**
 * Serves the API and the entry of the authorization pages over real HTTP, for clients that we did not write. Call it
 * before anything reads the settings: the base address is one of them.
 */
export async function startListeningService(): Promise<ListeningService> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env["SERVICE_BASE_URL"] = url;
  process.env["SERVICE_AUTH_URL"] = url;

  const api = getRequestListener(createSandboxApi().fetch);
  const entry = getRequestListener(answerAuthorizationRequest);
  const answer: RequestListener = (request, response) => {
    const listener = request.url?.startsWith("/login/oauth/authorize") ? entry : api;
    void listener(request, response);
  };
  server.on("request", answer);
  return {
    url,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
