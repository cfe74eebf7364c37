import { once } from "node:events";
import { Agent, type IncomingMessage, type RequestListener, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type HttpServer, type HttpServerOptions, openHttpServer } from "./http-server.ts";

let opened: HttpServer | undefined;
afterEach(() => {
  opened?.server.closeAllConnections();
  vi.useRealTimers();
});

describe("a server", () => {
  test("431: headers over 16 KiB are refused before the app sees them", async () => {
    const { port, seen } = await open();
    const answer = await exchange(port, `GET / HTTP/1.1\r\nhost: a\r\nx-long: ${"x".repeat(17 * 1024)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(seen.count).toBe(0);
  });

  test("431: more than 100 headers are refused", async () => {
    const { port, seen } = await open();
    const headers = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}: 1\r\n`).join("");
    const send = (count: number) =>
      exchange(port, `GET / HTTP/1.1\r\nconnection: close\r\nhost: a\r\n${headers(count)}\r\n`);
    expect(await send(98)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await send(101)).toMatch(/^HTTP\/1\.1 431 /);
    expect(seen.count).toBe(1);
  });

  test("408: a header that trickles in is cut off", async () => {
    const { port } = await open(answerOk, { headersTimeoutMs: 100, requestTimeoutMs: 200 });
    expect(await exchange(port, "GET / HTTP/1.1\r\nhost: a\r\nx-slow: ")).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("408: a body that never arrives is cut off", async () => {
    const waiting: RequestListener = (incoming, response) => void incoming.resume().once("end", () => response.end());
    const { port } = await open(waiting, { headersTimeoutMs: 100, requestTimeoutMs: 200 });
    const answer = await exchange(port, "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf");
    expect(answer).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
  });

  test("a large body may take longer, as long as it keeps arriving at a minimum rate", async () => {
    const waiting: RequestListener = (incoming, response) =>
      void incoming.resume().once("end", () => response.end("ok"));
    const { port } = await open(waiting, {
      headersTimeoutMs: 1500,
      requestTimeoutMs: 2000,
      bodyBytesPerSecondMin: 10_000,
    });
    const upload = async (chunkBytes: number) => {
      const headers = `POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: ${20 * chunkBytes}\r\n\r\n`;
      return exchange(
        port,
        headers,
        Array.from({ length: 20 }, () => "x".repeat(chunkBytes)),
      );
    };
    expect(await upload(10_000)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await upload(1)).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
  });

  test("400: two lengths, or a length and chunks, because programs could disagree about the end", async () => {
    const { port } = await open();
    const twoLengths = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\nbody";
    const both = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n";
    expect(await exchange(port, twoLengths)).toMatch(/^HTTP\/1\.1 400 /);
    expect(await exchange(port, both)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test("answers any number of sequential requests on one connection, which stays open for ten seconds", async () => {
    const { port, server } = await open();
    const connected: unknown[] = [];
    server.server.on("connection", (socket) => connected.push(socket));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let count = 0; count < 150; count++) {
      expect((await get(port, agent)).headers["keep-alive"]).toBe("timeout=10");
    }
    expect(connected).toHaveLength(1);
    agent.destroy();
  });

  test("closes connections over the limit, and answers on the others", async () => {
    const { port } = await open(answerOk, { connectionsMax: 2 });
    const agent = new Agent({ keepAlive: true, maxSockets: 2 });
    await Promise.all([get(port, agent), get(port, agent)]);
    await expect(get(port, new Agent())).rejects.toThrow();
    await expect(get(port, agent)).resolves.toMatchObject({ statusCode: 200 });
    agent.destroy();
  });
});

describe("a client that does not read", () => {
  // More than the buffers of both ends hold; shared by all responses.
  const large = Buffer.alloc(16 * 1024 * 1024);
  const answerLarge: RequestListener = (_asked, response) => void response.end(large);
  const get = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";

  test("loses its connection after the stall timeout; one that reads gets everything", async () => {
    const { port, server } = await open(answerLarge, { stalledWriteMs: 300 });
    const stalled = connect(port, "127.0.0.1", () => stalled.pause().write(get));
    await expect.poll(() => connectionsOf(server)).toBe(1);
    expect((await exchange(port, get.replace("host", "connection: close\r\nhost"))).length).toBeGreaterThan(
      large.length,
    );
    await expect.poll(() => connectionsOf(server)).toBe(0);
    stalled.destroy();
  });

  test("loses its connection after two minutes with one response, even if it reads a little now and then", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "performance"] });
    const { port, server, seen } = await open(answerLarge, { stalledWriteMs: 3_600_000 });
    const slow = connect(port, "127.0.0.1", () => slow.pause().write(get));
    await expect.poll(() => seen.count).toBe(1);
    for (let second = 0; second < 120; second++) {
      slow.read(1024);
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(await connectionsOf(server)).toBe(1);
    await vi.advanceTimersByTimeAsync(10_000);
    await expect.poll(() => connectionsOf(server)).toBe(0);
    slow.destroy();
  });

  test("keeps a stream's connection open until the stream ends", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "performance"] });
    const { port, server, seen } = await open((_asked, response) => void response.write("an event"));
    const reader = connect(port, "127.0.0.1", () => reader.resume().write(get));
    await expect.poll(() => seen.count).toBe(1);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(await connectionsOf(server)).toBe(1);
    reader.destroy();
  });

  test("keeps its connection while its response is being made, or a stream is quiet", async () => {
    const { port } = await open((_asked, response) => void setTimeout(() => response.end("late"), 900), {
      stalledWriteMs: 200,
    });
    expect(await exchange(port, get.replace("host", "connection: close\r\nhost"))).toContain("late");
  });

  test("can't pipeline more than 100 requests", async () => {
    const { port, seen, server } = await open(() => {});
    const flood = connect(port, "127.0.0.1", () => flood.write(get.repeat(1000)));
    flood.on("error", () => {});
    await expect.poll(() => seen.count).toBe(100);
    await expect.poll(() => connectionsOf(server)).toBe(0);
    flood.destroy();
  });
});

describe("a server that stops", () => {
  test("answers every request of 32 busy connections and asks each client to close", async () => {
    const { port, server } = await open((_asked, response) => void setImmediate(() => response.end("ok")));
    const outcomes = { answered: 0, dropped: 0 };
    const warm = Promise.withResolvers<void>();
    const callers = Array.from({ length: 32 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (;;) {
        const answer = await get(port, agent).catch((error: NodeJS.ErrnoException) => error);
        if (answer instanceof Error) {
          outcomes.dropped++;
          return;
        }
        outcomes.answered++;
        if (outcomes.answered === 1000) warm.resolve();
        if (answer.headers.connection === "close") return;
      }
    });
    await warm.promise;
    await server.stop({ graceMs: 5000 });
    await Promise.all(callers);
    expect(outcomes.dropped).toBe(0);
    await expect(get(port, new Agent())).rejects.toThrow("ECONNREFUSED");
  });

  test("answers connections that the kernel accepted while the process was busy", async () => {
    const { port, server } = await open();
    const steps = new Int32Array(new SharedArrayBuffer(8));
    const count = 400;
    const caller = new Worker(requestAtOnce, { eval: true, workerData: { port, steps, count } });
    const answered = once(caller, "message");
    await once(caller, "online");
    setStep(steps, 0);
    Atomics.wait(steps, 1, 0, 60_000);
    await server.stop({ graceMs: 5000 });
    const [answers] = await answered;
    expect(answers).toEqual(Array(count).fill(expect.stringContaining("200 OK")));
  });

  test("lets a request in flight finish, and cuts one that outlasts the grace period", async () => {
    const arrived = Promise.withResolvers<() => void>();
    const { port, server } = await open((_asked, response) => arrived.resolve(() => response.end("late")));
    const answer = get(port, new Agent({ keepAlive: true }));
    const finish = await arrived.promise;
    const stopped = server.stop({ graceMs: 5000 });
    finish();
    expect((await answer).headers.connection).toBe("close");
    await stopped;

    const second = await open(() => {});
    const endless = get(second.port, new Agent({ keepAlive: true }));
    const cut = expect(endless).rejects.toThrow();
    await expect.poll(() => second.seen.count).toBe(1);
    await second.server.stop({ graceMs: 50 });
    await cut;
  });
});

function setStep(steps: Int32Array, step: number): void {
  Atomics.store(steps, step, 1);
  Atomics.notify(steps, step);
}

// In its own thread, which connects while the main thread is blocked.
const requestAtOnce = `
  const { connect } = require("node:net");
  const { parentPort, workerData: { port, steps, count } } = require("node:worker_threads");
  ${setStep.toString()}
  Atomics.wait(steps, 0, 0);
  const answers = [];
  let sent = 0;
  for (let index = 0; index < count; index++) {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => {
      socket.write("POST / HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 0\\r\\n\\r\\n");
      sent++;
      if (sent === count) setStep(steps, 1);
    });
    socket.on("data", (chunk) => (answer += chunk));
    socket.on("error", (error) => (answer = error.message));
    socket.on("close", () => {
      answers.push(answer);
      if (answers.length === count) parentPort.postMessage(answers);
    });
  }
`;

const answerOk: RequestListener = (_asked, response) => void response.end("ok");

async function open(listener: RequestListener = answerOk, options: Partial<HttpServerOptions> = {}) {
  const seen = { count: 0 };
  const counting: RequestListener = (incoming, response) => {
    seen.count++;
    listener(incoming, response);
  };
  const server = await openHttpServer(counting, { port: 0, host: "127.0.0.1", connectionsMax: 1000, ...options });
  opened = server;
  return { server, seen, port: (server.server.address() as AddressInfo).port };
}

function connectionsOf({ server }: HttpServer): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

function get(port: number, agent: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port, agent }, (answer) => {
      answer.resume().once("end", () => resolve(answer));
    });
    outgoing.once("error", reject).end();
  });
}

/** Writes raw bytes, then the rest with pauses, and returns everything until the server closes. */
function exchange(port: number, bytes: string, rest: string[] = []): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", async () => {
      socket.write(bytes);
      for (const part of rest) {
        await delay(250);
        if (socket.writable) socket.write(part);
      }
    });
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(answer));
  });
}
