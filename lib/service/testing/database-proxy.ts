import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";
import { serviceConfig } from "../config.ts";

/**
 * What happens to a message to PostgreSQL. "cut before": it never arrives, and its sender's connection breaks while
 * PostgreSQL's end stays open. "cut and delay": the same, but it arrives at `deliverDelayed`. "cut after": it arrives,
 * and the connection breaks instead of returning the answer.
 */
export type Fate = "pass" | "cut before" | "cut and delay" | "cut after";

/** A proxy to the test's database that can break connections at a chosen message. */
export type DatabaseProxy = {
  url: string;
  /** Decides what happens to each message from now on. */
  judge: (fateOf: (message: Buffer, connection: object) => Fate) => void;
  /** Whether new connections are accepted. */
  takeConnections: (isTaking: boolean) => void;
  /** Delivers the delayed messages; resolves once PostgreSQL has answered each. */
  deliverDelayed: () => Promise<void>;
  cutAll: () => void;
  stop: () => Promise<void>;
};

/** `onCut` is called at the moment of each cut. */
export async function startDatabaseProxy(onCut: () => void = () => {}): Promise<DatabaseProxy> {
  let fateOf: (message: Buffer, connection: object) => Fate = () => "pass";
  let isTaking = true;
  const sockets = new Set<Socket>();
  const delayed: (() => Promise<void>)[] = [];
  const database = new URL(serviceConfig().databaseUrl);

  const server = createServer((client) => {
    if (!isTaking) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(database.port || 5432), database.hostname);
    let isCut = false;
    let isLastAnswer = false;
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => socket.destroy()));
    function cut(): void {
      isCut = true;
      // First, so that a killed process can't see its connection break and answer.
      onCut();
      client.destroy();
    }
    client.on("data", (message) => {
      if (isCut) return;
      const fate = fateOf(message, client);
      if (fate === "cut and delay") {
        delayed.push(async () => {
          const answered = once(upstream, "data");
          upstream.write(message);
          await answered;
        });
      }
      if (fate === "cut before" || fate === "cut and delay") return cut();
      isLastAnswer = fate === "cut after";
      upstream.write(message);
    });
    upstream.on("data", (answer) => {
      if (isLastAnswer && !isCut) cut();
      else if (!isCut) client.write(answer);
    });
    // After a cut PostgreSQL's end stays open, as in a network failure.
    client.on("close", () => !isCut && upstream.destroy());
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(database);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);

  function cutAll(): void {
    for (const socket of sockets) socket.destroy();
  }
  return {
    url: url.href,
    judge: (next) => {
      fateOf = next;
    },
    takeConnections: (next) => {
      isTaking = next;
    },
    deliverDelayed: async () => {
      for (const deliver of delayed.splice(0)) await deliver();
    },
    cutAll,
    stop: async () => {
      cutAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
