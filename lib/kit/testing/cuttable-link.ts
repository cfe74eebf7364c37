import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy that can simulate a network failure: nothing passes, and neither end notices. */
export type CuttableLink = {
  port: number;
  /** Stops all traffic; new connections are accepted but not forwarded. */
  cut: () => void;
  /** Delivers the held data, and forwards the new connections. */
  mend: () => void;
  stop: () => Promise<void>;
};

/** Opens a proxy to a port on loopback. */
export async function openLink(targetPort: number): Promise<CuttableLink> {
  let isCut = false;
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();

  function join(incoming: Socket): void {
    if (incoming.destroyed) return;
    const target = connect(targetPort, "127.0.0.1");
    for (const [source, destination] of [
      [incoming, target],
      [target, incoming],
    ] as const) {
      sockets.add(source);
      source.setNoDelay(true);
      // A connection that ends during a cut is noticed after it.
      source.on("data", (data) => {
        if (!destination.write(data)) source.pause();
      });
      source.on("drain", () => !isCut && destination.resume());
      source.on("error", () => source.destroy());
      source.on("close", () => {
        sockets.delete(source);
        if (isCut) waiting.add(() => destination.destroy());
        else destination.destroy();
      });
    }
    if (isCut) for (const socket of [incoming, target]) socket.pause();
  }

  const server = createServer({ pauseOnConnect: true }, (incoming) => {
    sockets.add(incoming);
    incoming.on("error", () => incoming.destroy());
    const begin = () => {
      incoming.resume();
      join(incoming);
    };
    if (isCut) waiting.add(begin);
    else begin();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    mend: () => {
      isCut = false;
      for (const socket of sockets) socket.resume();
      for (const go of waiting) go();
      waiting.clear();
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
