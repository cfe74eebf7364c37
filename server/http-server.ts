import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setImmediate as nextLoopTick } from "node:timers/promises";

export type HttpServerOptions = {
  port: number;
  host: string;
  /** More connections than this are closed at once. */
  connectionsMax?: number;
  /** How long a request's headers, and the whole request, may take to arrive. */
  headersTimeoutMs?: number;
  requestTimeoutMs?: number;
  /** Each time this many bytes of a body have arrived, it gets another second. */
  bodyBytesPerSecondMin?: number;
  /** How long a client may stop reading an answer, and how long it may take to read all of it. */
  stalledWriteMs?: number;
  responseReadMs?: number;
};

export type HttpServer = {
  server: Server;
  /** Makes every answer close its connection from now on. */
  drain: () => void;
  /** Accepts no new connections, answers what open connections have sent, and gives requests in flight `graceMs` to finish. */
  stop: (options: { graceMs: number }) => Promise<void>;
};

const headerCountMax = 100;
const headerBytesMax = 16 * 1024;
const keepAliveMs = 10_000;
const pipelinedMax = 100;
// Enough for a photo of 5 MiB at the minimum rate.
const slowestRequestMs = 200_000;
// Long enough for requests sent before the stop to arrive.
const quietMs = 500;

/** Limits the size, number and duration of what clients send. Rejects when the port is taken. */
export async function openHttpServer(listener: RequestListener, options: HttpServerOptions): Promise<HttpServer> {
  const { port, host, connectionsMax = 10_000, headersTimeoutMs = 10_000, requestTimeoutMs = 30_000 } = options;
  const { bodyBytesPerSecondMin = 32 * 1024, stalledWriteMs = 20_000, responseReadMs = 120_000 } = options;
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: slowestRequestMs,
    connectionsCheckingInterval: Math.min(1000, headersTimeoutMs),
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: headerBytesMax,
  });
  server.maxHeadersCount = headerCountMax;
  server.maxConnections = connectionsMax;

  const inFlight = new Set<ServerResponse>();
  let isDraining = false;
  const countBySocket = new WeakMap<Socket, number>();
  server.on("request", (request, response) => {
    const { socket } = request;
    const count = (countBySocket.get(socket) ?? 0) + 1;
    countBySocket.set(socket, count);
    if (count > pipelinedMax) {
      socket.destroy();
      return;
    }
    inFlight.add(response);
    endSlowBody(request, response, { requestTimeoutMs, bodyBytesPerSecondMin });
    if (isDraining) response.setHeader("connection", "close");
    response.once("close", () => {
      inFlight.delete(response);
      countBySocket.set(socket, (countBySocket.get(socket) ?? 1) - 1);
    });
    listener(request, response);
  });
  // Runs for a connection without traffic. A request in flight with nothing left to write is still being handled.
  server.setTimeout(stalledWriteMs, (socket) => {
    if (socket.writableLength > 0 || !countBySocket.get(socket)) socket.destroy();
  });
  const slowReaders = setInterval(endSlowReaders(inFlight, responseReadMs), Math.min(5000, responseReadMs / 2)).unref();
  server.once("close", () => clearInterval(slowReaders));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });

  function drain(): void {
    isDraining = true;
    for (const response of inFlight) if (!response.headersSent) response.setHeader("connection", "close");
  }

  async function stop({ graceMs }: { graceMs: number }): Promise<void> {
    drain();
    const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
    const quiet = setInterval(() => server.closeIdleConnections(), quietMs);
    await closeListener(server);
    clearTimeout(deadline);
    clearInterval(quiet);
  }
  return { server, drain, stop };
}

// Closing the listener resets connections that the kernel has made but we haven't accepted, and nginx answers their POSTs with
// 502. A tick of the event loop accepts at most one of them, before its other work. So we close right after a short tick that
// accepted none, with code that has run before: the first run of `close` takes five times as long (0.5 ms).
async function closeListener(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted++;
  };
  await close(new NetServer());
  server.on("connection", count).on("drop", count);
  // Waits for the end of this tick, which may already have accepted one.
  await nextLoopTick();
  for (let tick = 0; tick < 2000; tick++) {
    const [before, startedAt] = [accepted, performance.now()];
    await nextLoopTick();
    if (accepted === before && performance.now() - startedAt < 0.1) break;
  }
  const closed = close(server);
  server.off("connection", count).off("drop", count);
  await closed;
}

// The HTTP server's own close would cut idle connections, even if a request is on its way.
function close(listener: NetServer): Promise<void> {
  return new Promise((resolve) => {
    NetServer.prototype.close.call(listener, () => resolve());
  });
}

type BodyLimits = { requestTimeoutMs: number; bodyBytesPerSecondMin: number };

// The server's own timeout would end a large upload over a slow line, or let one that trickles in hold its connection.
function endSlowBody(
  request: IncomingMessage,
  response: ServerResponse,
  { requestTimeoutMs, bodyBytesPerSecondMin }: BodyLimits,
): void {
  const { headers, socket } = request;
  if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined) return;
  const [startedAt, bytesBefore] = [performance.now(), socket.bytesRead];
  let timer: ReturnType<typeof setTimeout>;
  function check(): void {
    if (request.complete) return;
    const earnedMs = ((socket.bytesRead - bytesBefore) / bodyBytesPerSecondMin) * 1000;
    const leftMs = startedAt + requestTimeoutMs + earnedMs - performance.now();
    if (leftMs > 0) {
      timer = setTimeout(check, leftMs).unref();
      return;
    }
    if (response.socket && !response.headersSent) {
      socket.write("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n");
    }
    socket.destroy();
  }
  timer = setTimeout(check, requestTimeoutMs).unref();
  request.once("close", () => clearTimeout(timer));
}

// A client that reads a byte now and then is never idle, so reading the whole answer has a time limit.
function endSlowReaders(inFlight: ReadonlySet<ServerResponse>, responseReadMs: number): () => void {
  const endedAt = new WeakMap<ServerResponse, number>();
  return () => {
    const now = performance.now();
    for (const response of inFlight) {
      if (!response.writableEnded) continue;
      const since = endedAt.get(response) ?? now;
      endedAt.set(response, since);
      if (now - since >= responseReadMs) response.req.socket.destroy();
    }
  };
}
