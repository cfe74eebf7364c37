import { createServer } from "node:net";

const inSettings = "set another port in .env (copy .env.example and change every address that names it)";

/** Throws a one-sentence error naming the first of these addresses whose port is taken, and what to do about it. */
export async function requireFreePorts(addresses: string[], otherwise = inSettings): Promise<void> {
  for (const address of new Set(addresses)) {
    const { hostname, port } = new URL(address);
    if (await isTaken(hostname.replace(/^\[|\]$/g, ""), Number(port))) {
      throw new Error(
        `Port ${port} is in use, and ${address} needs it: stop the program that uses it, or ${otherwise}.`,
      );
    }
  }
}

function isTaken(host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(true);
      else if (error.code === "EADDRNOTAVAIL") reject(new Error(`${host} isn't an address of this machine.`));
      else reject(error);
    });
    probe.listen(port, host, () => probe.close(() => resolve(false)));
  });
}
