import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** `stop` also closes open connections. */
export type HttpListener = { url: string; stop: () => Promise<void> };

/** Listens on a free port of this machine. */
export async function listenOnFreePort(answer: RequestListener): Promise<HttpListener> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
