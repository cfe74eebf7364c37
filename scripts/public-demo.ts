import { join } from "node:path";
import { sentenceOf } from "../lib/kit/describe-error.ts";
import { greetingOf, readPublicAddress, settingsOf } from "../server/public-sandbox/public-address.ts";
import { requireFreePorts } from "./ports.ts";
import type { Start } from "./start-apps.ts";

/** What `npm run demo -- --public-url …` does differently: one sandbox per visitor, behind a proxy. */
export function publicDemo(args: string[]): Partial<Start> {
  const address = readOrExit(() => readPublicAddress(args));
  return {
    // Each visitor's sandbox has its own worker.
    roles: "partner,service-api,service-web,service-worker",
    dataFolder: () => join(process.env["DATA_FOLDER"] || ".data", "public-demo"),
    check: async () => {
      Object.assign(process.env, settingsOf(address, process.env));
      const { PARTNER_LISTEN, SERVICE_LISTEN } = process.env;
      await requireFreePorts([`http://${PARTNER_LISTEN}`, `http://${SERVICE_LISTEN}`], otherPorts);
    },
    openPublicSandbox: async (parts) => (await import("../server/public-sandbox/plug.ts")).openPublicSandbox(parts),
    greet: async ({ seconds, logFile }) =>
      `\nGangway runs, ready in ${seconds} s. Log: ${logFile}\n${greetingOf(address, process.env)}\nCtrl-C stops everything, including the database.\n`,
  };
}

const otherPorts = "set PARTNER_LISTEN and SERVICE_LISTEN to other addresses, like 127.0.0.1:3001";

function readOrExit<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\nUsage: npm run demo -- --public-url https://demo.example.com\n`);
    return process.exit(2);
  }
}
