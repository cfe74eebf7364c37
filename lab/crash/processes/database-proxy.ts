import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type ProxiedConnection = {
  /** Its source port (`pg_stat_activity.client_port`). */
  clientPort: number | undefined;
  /** Closes it on both sides; `reset` sends an RST. */
  cut: (options?: { reset: boolean }) => void;
};

/**
 * A moment around a COMMIT: before PostgreSQL gets it, once it is sent, or once PostgreSQL has answered. The answer is
 * never forwarded.
 */
export type CommitMoment = "before" | "sent" | "answered";

/** Proxies one process's traffic to PostgreSQL, on a stable port. */
export type DatabaseProxy = {
  /** The database URL through the proxy. */
  through: (url: string) => string;
  connections: () => ProxiedConnection[];
  /**
   * Calls `strike` at the next COMMIT, with its connection and, for "before", a function that releases it. Returns a cancel
   * function.
   */
  atNextCommit: (
    moment: CommitMoment,
    strike: (connection: ProxiedConnection, resume: () => void) => void,
  ) => () => void;
  /** Calls `strike` at the n-th request message from now, across all connections. */
  atQuestion: (number: number, moment: "before" | "sent", strike: (connection: ProxiedConnection) => void) => void;
  /** Delivers every answer this much later. */
  delayAnswers: (ms: number) => void;
  stop: () => Promise<void>;
};

type Trap = { moment: CommitMoment; strike: (connection: ProxiedConnection, resume: () => void) => void };

/** Starts a proxy; `findUrl` is called per connection. */
export async function startDatabaseProxy(findUrl: () => string): Promise<DatabaseProxy> {
  const sockets = new Set<Socket>();
  const connections = new Set<ProxiedConnection>();
  const traps: Trap[] = [];
  let questionsLeft = 0;
  let delayMs = 0;
  let atQuestion: Trap | undefined;

  function takeTrap(isCommit: boolean, isQuestion: boolean): Trap | undefined {
    if (isQuestion && --questionsLeft === 0) return atQuestion;
    return isCommit ? traps.shift() : undefined;
  }

  const server = createServer((client) => {
    const { hostname, port } = new URL(findUrl());
    const upstream = connect(Number(port), hostname);
    const connection: ProxiedConnection = {
      get clientPort() {
        return upstream.localPort;
      },
      cut: ({ reset } = { reset: false }) => {
        for (const socket of [client, upstream]) reset ? socket.resetAndDestroy() : socket.destroy();
      },
    };
    connections.add(connection);
    let atAnswer: Trap | undefined;
    let isAnswered = false;
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      sockets.add(socket.on("error", () => connection.cut()));
    }
    const split = messageSplitter((message, { isCommit, isQuestion }) => {
      const trap = takeTrap(isCommit, isQuestion);
      if (trap?.moment === "before") {
        trap.strike(connection, () => upstream.write(message));
        return;
      }
      if (trap?.moment === "answered") atAnswer = trap;
      upstream.write(message, () => {
        if (trap?.moment === "sent") trap.strike(connection, nothing);
      });
    });
    client.on("data", split);
    upstream.on("data", (answer) => {
      if (!atAnswer && delayMs > 0) setTimeout(() => client.write(answer), delayMs);
      else if (!atAnswer) client.write(answer);
      else if (!isAnswered) atAnswer.strike(connection, nothing);
      isAnswered = atAnswer !== undefined;
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on("close", () => {
        other.destroy();
        connections.delete(connection);
        sockets.delete(one);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    through: (url) => {
      const through = new URL(url);
      through.hostname = "127.0.0.1";
      through.port = String(port);
      return through.href;
    },
    connections: () => [...connections],
    atNextCommit: (moment, strike) => {
      const trap = { moment, strike };
      traps.push(trap);
      return () => {
        const index = traps.indexOf(trap);
        if (index >= 0) traps.splice(index, 1);
      };
    },
    atQuestion: (number, moment, strike) => {
      questionsLeft = number;
      atQuestion = { moment, strike };
    },
    delayAnswers: (ms) => {
      delayMs = ms;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function nothing(): void {}

// Parses PostgreSQL's frontend messages: an untyped startup message, then type, length, and body. COMMIT is a simple
// query or a named statement; a standalone statement commits at its Sync.
function messageSplitter(
  take: (message: Buffer, kind: { isCommit: boolean; isQuestion: boolean }) => void,
): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let isStarted = false;
  let isAlone = false;
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (true) {
      const lengthAt = isStarted ? 1 : 0;
      if (rest.length < lengthAt + 4) return;
      const end = lengthAt + rest.readUInt32BE(lengthAt);
      if (rest.length < end) return;
      const message = rest.subarray(0, end);
      rest = rest.subarray(end);
      const type = isStarted ? String.fromCharCode(message[0] ?? 0) : "";
      if (type === "B") isAlone = single.test(opening(message));
      const isCommit = ("QPB".includes(type) && commit.test(opening(message))) || (type === "S" && isAlone);
      if (type === "S") isAlone = false;
      isStarted = true;
      take(message, { isCommit, isQuestion: type === "Q" || type === "S" });
    }
  };
}

const commit = /(?:^|\0)\s*commit\b/i;
const single = /^\0\w+_in_one_statement\0/;

function opening(message: Buffer): string {
  return message.subarray(5, 100).toString("latin1");
}
