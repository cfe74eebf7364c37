import { Client } from "undici";

export type LoadRequest = { method: "GET" | "POST"; path: string; headers: string[]; body?: string };

export type LoadAnswer = { status: number; text: string };

/** A keep-alive connection with one request in flight at a time. */
export type LoadConnection = { send: (request: LoadRequest) => Promise<LoadAnswer>; close: () => Promise<void> };

/** Uses undici's handler API, which adds the least client overhead. */
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
