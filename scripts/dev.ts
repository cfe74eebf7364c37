import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import { brandName } from "../brand/name.ts";
import { sentenceOf } from "../lib/kit/describe-error.ts";
import { requireMatchingAddresses } from "./addresses.ts";
import { dataFolderOf, startEmbeddedDatabases } from "./embedded-databases.ts";
import { requireFreePorts } from "./ports.ts";

// Two processes that reload on change: Next watches the pages, Node watches the API and the workers. The authorization pages
// need their own port, because the API runs in the other process.

loadEnvFile(existsSync(".env") ? ".env" : ".env.example");
process.env["SERVICE_AUTH_URL"] ||= "http://127.0.0.1:4001";
process.env["PARTNER_SERVICE_AUTH_URL"] = process.env["SERVICE_AUTH_URL"];
const { PARTNER_BASE_URL: partnerUrl = "", SERVICE_BASE_URL: serviceUrl = "" } = process.env;

try {
  requireMatchingAddresses(process.env);
  await requireFreePorts([partnerUrl, serviceUrl, process.env["SERVICE_AUTH_URL"]]);
  const cluster = await startEmbeddedDatabases(dataFolderOf("demo"), ["service", "partner"]);
  const children = [
    startProcess(["--watch", "--watch-preserve-output", "server.ts"], "service-api,service-worker,partner-worker"),
    startProcess(["server.ts"], "partner,service-web"),
  ];
  process.stdout.write(
    `${brandName} ${partnerUrl}, the service ${serviceUrl}, its pages ${process.env["SERVICE_AUTH_URL"]}. Ctrl-C stops everything.\n`,
  );
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, async () => {
      await Promise.all(children.map(end));
      cluster?.stop();
      process.exit(0);
    });
  }
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`);
  process.exit(1);
}

function startProcess(parameters: string[], roles: string): ChildProcess {
  return spawn(process.execPath, parameters, {
    stdio: "inherit",
    env: { ...process.env, NODE_ENV: "development", ROLES: roles },
  });
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGTERM");
  });
}
