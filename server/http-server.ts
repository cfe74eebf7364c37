import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

export type HttpServerOptions = {
  port: number;
  host: string;
  /** A connection beyond this number is closed at once. */
  connectionsMax?: number;
  /** How long a request's header, and a whole request, may take to arrive; the defaults stop clients that send a byte at a time. */
  headersTimeoutMs?: number;
  requestTimeoutMs?: number;
  /** How long an answer may wait for the client to read a byte, and how long the client may take to read it whole. */
  stalledWriteMs?: number;
  answerTakenMs?: number;
};

export type HttpServer = {
  server: Server;
  /** No new connections; requests under way get `graceMs` to finish, and those already on an open connection are answered. */
  stop: (options: { graceMs: number }) => Promise<void>;
};

const headerCountMax = 100;
const headerBytesMax = 16 * 1024;
const keepAliveMs = 10_000;
// Pipelined requests on one connection; no honest client sends so many.
const pipelinedMax = 100;
// By then, requests sent before the stop have arrived.
const quietMs = 500;

/** Opens a server with limits on the size, number and duration of all that a client can send. Rejects when the port is taken. */
export async function openHttpServer(listener: RequestListener, options: HttpServerOptions): Promise<HttpServer> {
  const { port, host, connectionsMax = 10_000, headersTimeoutMs = 10_000, requestTimeoutMs = 30_000 } = options;
  const { stalledWriteMs = 20_000, answerTakenMs = 120_000 } = options;
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
  const countBySocket = new WeakMap<Socket, number>();
  server.on("request", (request, response) => {
    const { socket } = request;
    const count = (countBySocket.get(socket) ?? 0) + 1;
    countBySocket.set(socket, count);
    if (count > pipelinedMax) {
      socket.destroy();
      return;
    }
    underWay.add(response);
    response.once("close", () => {
      underWay.delete(response);
      countBySocket.set(socket, (countBySocket.get(socket) ?? 1) - 1);
    });
    listener(request, response);
  });
  // Called after a time without traffic on a connection. If no bytes wait to be read, an answer under way is still being
  // made; if no answer is under way, the connection is closed.
  server.setTimeout(stalledWriteMs, (socket) => {
    if (socket.writableLength > 0 || !countBySocket.get(socket)) socket.destroy();
  });
  const slowReaders = setInterval(endSlowReaders(underWay, answerTakenMs), Math.min(5000, answerTakenMs / 2)).unref();
  server.once("close", () => clearInterval(slowReaders));
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

// A client that reads a byte now and then is never idle, so a whole answer has a time limit too.
function endSlowReaders(underWay: ReadonlySet<ServerResponse>, answerTakenMs: number): () => void {
  const endedAt = new WeakMap<ServerResponse, number>();
  return () => {
    const now = performance.now();
    for (const response of underWay) {
      if (!response.writableEnded) continue;
      const since = endedAt.get(response) ?? now;
      endedAt.set(response, since);
      if (now - since >= answerTakenMs) response.req.socket.destroy();
    }
  };
}
