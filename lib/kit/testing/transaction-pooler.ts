import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import pg from "pg";

/** A minimal pooler in transaction mode. */
export type TransactionPooler = {
  url: string;
  stop: () => Promise<void>;
};

type Session = { socket: Socket; reader: Socket | undefined };

/**
 * Each transaction, and each statement outside of one, gets the session that has been idle for the longest; with two
 * sessions, a connection on its own alternates between them.
 */
export async function startTransactionPooler(
  url: string,
  { sessions }: { sessions: number },
): Promise<TransactionPooler> {
  const all: Session[] = [];
  const idle: Session[] = [];
  const waiting: ((session: Session) => void)[] = [];

  function giveBack(session: Session): void {
    session.reader = undefined;
    const next = waiting.shift();
    if (next) next(session);
    else idle.push(session);
  }

  for (let count = 0; count < sessions; count++) {
    const session: Session = { socket: await logIn(url), reader: undefined };
    all.push(session);
    idle.push(session);
    let end: Buffer = Buffer.alloc(0);
    session.socket.on("data", (answer) => {
      session.reader?.write(answer);
      end = Buffer.concat([end, answer]).subarray(-readyOutsideTransactions.length);
      if (session.reader && end.equals(readyOutsideTransactions)) giveBack(session);
    });
    session.socket.on("close", () => {
      if (idle.includes(session)) idle.splice(idle.indexOf(session), 1);
    });
  }

  const server = createServer((connection) => {
    connection.on("error", () => connection.destroy());
    connection.once("data", () => {
      connection.write(greeting);
      connection.on("data", (message) => {
        if (message.toString("latin1", 0, 1) === "X") return connection.end();
        const held = all.find(({ reader }) => reader === connection);
        if (held) return held.socket.write(message);
        const assign = (session: Session) => {
          session.reader = connection;
          session.socket.write(message);
        };
        const free = idle.shift();
        if (free) return assign(free);
        return waiting.push(assign);
      });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const through = new URL(url);
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: through.href,
    stop: async () => {
      for (const { socket } of all) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

// The driver logs in, and then no longer reads the responses.
async function logIn(url: string): Promise<Socket> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  return stream.removeAllListeners("data");
}

const readyOutsideTransactions = Buffer.from("Z\0\0\0\x05I", "latin1");
const greeting = Buffer.concat([Buffer.from("R\0\0\0\x08\0\0\0\0", "latin1"), readyOutsideTransactions]);
