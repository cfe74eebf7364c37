import { Client } from "undici";

/** A request of the load. */
export type LoadRequest = { method: "GET" | "POST"; path: string; headers: string[]; body?: string };

/** A whole answer. */
export type LoadAnswer = { status: number; text: string };

/** One kept-alive connection with one request under way at a time. */
export type LoadConnection = { send: (request: LoadRequest) => Promise<LoadAnswer>; close: () => Promise<void> };

/** Opens a connection by undici, at the level of its handlers: what its friendlier calls add would be load of our own making. */
export function openConnection(origin: string): LoadConnection {
  const client = new Client(origin, { pipelining: 1, keepAliveTimeout: 60_000 });
  return {
    send: ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        let status = 0;
        const chunks: Buffer[] = [];
        client.dispatch(
          { method, path, headers, body: body ?? null },
          {
            onRequestStart: () => undefined,
            onResponseStart: (_controller, statusCode) => {
              status = statusCode;
            },
            onResponseData: (_controller, chunk) => {
              chunks.push(chunk);
            },
            onResponseEnd: () => resolve({ status, text: Buffer.concat(chunks).toString() }),
            onResponseError: (_controller, error) => reject(error),
          },
        );
      }),
    close: () => client.destroy(),
  };
}
