import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way over TCP that can be cut as a network is: nothing passes, and nobody is told. */
export type CuttableWay = {
  port: number;
  /** From now on nothing passes; new connections are taken and lead nowhere. */
  cut: () => void;
  /** What was held back passes, unless its ends have given up; connections that were made meanwhile are made now. */
  mend: () => void;
  stop: () => Promise<void>;
};

/** Opens a way to a port of loopback. */
export async function openWay(targetPort: number): Promise<CuttableWay> {
  let isCut = false;
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();

  function join(own: Socket): void {
    if (own.destroyed) return;
    const target = connect(targetPort, "127.0.0.1");
    for (const [one, other] of [
      [own, target],
      [target, own],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      // An end that comes in a cut is noticed after it.
      one.on("data", (data) => {
        if (!other.write(data)) one.pause();
      });
      one.on("drain", () => !isCut && other.resume());
      one.on("error", () => one.destroy());
      one.on("close", () => {
        sockets.delete(one);
        if (isCut) waiting.add(() => other.destroy());
        else other.destroy();
      });
    }
    if (isCut) for (const socket of [own, target]) socket.pause();
  }

  const server = createServer({ pauseOnConnect: true }, (own) => {
    sockets.add(own);
    own.on("error", () => own.destroy());
    const begin = () => {
      own.resume();
      join(own);
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
