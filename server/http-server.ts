import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { Server as NetServer } from "node:net";

export type HttpServerOptions = {
  port: number;
  host: string;
  /** One connection more is closed at once. */
  connectionsMax: number;
  /** How long a request's header, and a whole request, may take to arrive; defaults against clients that trickle. */
  headersTimeoutMs?: number;
  requestTimeoutMs?: number;
};

export type HttpServer = {
  server: Server;
  /** No new connections; requests under way get `graceMs` to finish, and those already on an open connection are answered. */
  stop: (options: { graceMs: number }) => Promise<void>;
};

const headerCountMax = 100;
const headerBytesMax = 16 * 1024;
const keepAliveMs = 10_000;
// A request that was on its way when the process was told to stop has arrived after this.
const quietMs = 500;

/** Opens a server with limits on everything that a stranger can make long, many or slow. Rejects when the port is taken. */
export async function openHttpServer(listener: RequestListener, options: HttpServerOptions): Promise<HttpServer> {
  const { port, host, connectionsMax, headersTimeoutMs = 10_000, requestTimeoutMs = 30_000 } = options;
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, headersTimeoutMs),
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: headerBytesMax,
  });
  server.maxHeadersCount = headerCountMax;
  server.maxConnections = connectionsMax;

  const underWay = new Set<ServerResponse>();
  server.on("request", (request, response) => {
    underWay.add(response);
    response.once("close", () => underWay.delete(response));
    listener(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });

  async function stop({ graceMs }: { graceMs: number }): Promise<void> {
    // A client must not send another request on a connection that is about to close.
    for (const response of underWay) if (!response.headersSent) response.setHeader("connection", "close");
    const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
    const quiet = setInterval(() => server.closeIdleConnections(), quietMs);
    // Not the HTTP server's own close: that one cuts connections which are idle at this very moment, a request on its way or not.
    await new Promise<void>((resolve) => {
      NetServer.prototype.close.call(server, () => resolve());
    });
    clearTimeout(deadline);
    clearInterval(quiet);
  }
  return { server, stop };
}
