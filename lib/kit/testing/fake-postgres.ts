import { type AddressInfo, createServer, type Socket } from "node:net";

/**
 * A primary, a standby, a server that never answers, a primary that ends the connection right after its greeting, or
 * one whose first answer breaks off in the middle.
 */
export type Greeting = "primary" | "standby" | "silence" | "goodbye" | "gibberish";

/** Completes PostgreSQL's handshake and answers no statement. */
export type FakePostgres = {
  host: string;
  greet: (greeting: Greeting) => void;
  cutAll: () => void;
  stop: () => Promise<void>;
};

export async function startFakePostgres(first: Greeting, address = "127.0.0.1"): Promise<FakePostgres> {
  let greeting = first;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    socket.once("data", () => {
      if (greeting === "silence") return;
      const standby = Buffer.from(`in_hot_standby\0${greeting === "standby" ? "on" : "off"}\0`);
      const greetings = [message("R", Buffer.alloc(4)), message("S", standby), message("Z", Buffer.from("I"))];
      if (greeting === "goodbye") greetings.push(message("E", Buffer.from("SFATAL\0C57P01\0Mthis is the end\0\0")));
      socket.write(Buffer.concat(greetings));
      const cutRow = message("D", Buffer.from("\0\x02eterERROR"));
      // The next message can only be the client's termination.
      socket.once("data", () => (greeting === "gibberish" ? socket.write(cutRow) : socket.end()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  function cutAll(): void {
    for (const socket of sockets) socket.destroy();
  }
  return {
    host: `${address.includes(":") ? `[${address}]` : address}:${(server.address() as AddressInfo).port}`,
    greet: (next) => {
      greeting = next;
    },
    cutAll,
    stop: async () => {
      cutAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, "latin1");
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
