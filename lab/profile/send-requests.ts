import { connect } from "node:net";

/** `next` returns a full HTTP/1.1 request as text. */
export type RequestLoad = { url: string; next: () => string };

export type Sent = { answered: number; seconds: number; statuses: ReadonlyMap<number, number> };

/**
 * Keeps one request in flight per connection for a time or count, over bare sockets to keep its own cost low. Throws when a
 * connection breaks.
 */
export async function sendRequests({
  url,
  next,
  connections,
  seconds = Number.POSITIVE_INFINITY,
  requests = Number.POSITIVE_INFINITY,
}: RequestLoad & { connections: number; seconds?: number; requests?: number }): Promise<Sent> {
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const statuses = new Map<number, number>();
  let begun = 0;
  let answered = 0;
  const { hostname, port } = new URL(url);

  await Promise.all(Array.from({ length: connections }, keepBusy));
  return { answered, seconds: (performance.now() - startedAt) / 1000, statuses };

  function keepBusy(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      let received = "";
      const sendNext = () => {
        if (begun >= requests || performance.now() >= endsAt) {
          resolve();
          socket.end();
          return;
        }
        begun++;
        socket.write(next());
      };
      socket.setNoDelay(true).setEncoding("latin1");
      socket.once("connect", sendNext);
      socket.on("data", (text: string) => {
        received += text;
        const status = statusOfWhole(received);
        if (status === undefined) return;
        received = "";
        answered++;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        sendNext();
      });
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("The service closed a connection.")));
    });
  }
}

// Undefined for an incomplete response. Every response under load has a content-length.
function statusOfWhole(received: string): number | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1]);
  return received.length >= headEnd + 4 + length ? Number(received.slice(9, 12)) : undefined;
}
