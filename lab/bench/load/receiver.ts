import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "../measure/until.ts";
import { answerCalls } from "../processes/calls.ts";

// A webhook receiver in its own process: responds instantly and records arrivals.

// Since the last `forget`: the first arrival of each webhook (Unix ms), and the number of duplicates.
let arrivedAt = new Map<string, number>();
let repeated = 0;

const handlers = {
  /** Listens at `url`; `hangingUrl` never responds. */
  start: async (): Promise<{ url: string; hangingUrl: string }> => {
    const url = await listen((request, response) => {
      const id = String(request.headers["webhook-id"]);
      request.resume().once("end", () => {
        if (arrivedAt.has(id)) repeated++;
        else arrivedAt.set(id, performance.timeOrigin + performance.now());
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
  countRepeated: async (): Promise<number> => repeated,
  untilReceived: (count: number): Promise<void> => until(`${count} webhooks received`, () => arrivedAt.size >= count),
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
