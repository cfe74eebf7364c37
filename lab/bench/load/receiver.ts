import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "../measure/until.ts";
import { answerCalls } from "../processes/calls.ts";

// A webhook receiver in its own process: responds instantly and records arrivals.

/** Arrivals since the last `forget`, without duplicates, and the number of duplicates. Times are Unix ms. */
export type Received = { distinct: number; repeated: number; lastAt: number };

let arrivedAt = new Map<string, number>();
let repeated = 0;
let lastAt = 0;

const handlers = {
  /** Listens at `url`; `hangingUrl` never responds. */
  start: async (): Promise<{ url: string; hangingUrl: string }> => {
    const url = await listen((request, response) => {
      const id = String(request.headers["webhook-id"]);
      request.resume().once("end", () => {
        lastAt = performance.timeOrigin + performance.now();
        if (arrivedAt.has(id)) repeated++;
        else arrivedAt.set(id, lastAt);
        response.writeHead(204).end();
      });
    });
    const hangingUrl = await listen((request) => void request.resume());
    return { url, hangingUrl };
  },
  forget: async (): Promise<void> => {
    arrivedAt = new Map();
    repeated = 0;
  },
  received: async (): Promise<Received> => ({ distinct: arrivedAt.size, repeated, lastAt }),
  untilReceived: async (count: number): Promise<Received> => {
    await until(`${count} webhooks received`, () => arrivedAt.size >= count);
    return { distinct: arrivedAt.size, repeated, lastAt };
  },
  /** Arrival times. Throws if one is missing. */
  arrivalsOf: async (ids: string[]): Promise<number[]> =>
    ids.map((id) => {
      const at = arrivedAt.get(id);
      if (at === undefined) throw new Error(`The webhook ${id} has not arrived.`);
      return at;
    }),
};

async function listen(answer: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer({ keepAliveTimeout: 60_000 }, answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export type ReceiverProcess = typeof handlers;

answerCalls(handlers);
