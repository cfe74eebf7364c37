import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { loadEnvFile } from "node:process";
import { requireFittingAddresses } from "./addresses.ts";
import { startDemoDatabases } from "./demo-databases.ts";
import type { Cluster } from "./embedded-postgres.ts";
import { ensureBuild } from "./ensure-build.ts";
import { requireFreePorts } from "./ports.ts";

// Everything in one process: database, both apps, workers. Read from top to bottom: this is what `npm run demo` does.

const diskBytesMin = 500 * 1024 * 1024;

const startedAt = performance.now();
let cluster: Cluster | undefined;
try {
  loadEnvFile(existsSync(".env") ? ".env" : ".env.example");
  Object.assign(process.env, { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" });
  process.env["LOG_FILE"] ||= `${process.env["DATA_FOLDER"] || ".data"}/demo.log`;
  const { PARTNER_BASE_URL: partnerUrl = "", SERVICE_BASE_URL: serviceUrl = "" } = process.env;
  const authUrl = process.env["SERVICE_AUTH_URL"] || serviceUrl;
  requireFittingAddresses(process.env);
  await requireFreePorts([partnerUrl, serviceUrl, authUrl]);
  await requireDisk();

  say("Starting PostgreSQL 18");
  cluster = await startDemoDatabases();
  await ensureBuild(process.env["NEXT_DIST_DIR"] || ".next", say);
  say("Opening the listeners");
  const { startServer } = await import("../server/start.ts");
  const { parseRoles } = await import("../server/roles.ts");
  const running = await startServer(parseRoles("all"));

  let isStopping = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, async () => {
      if (isStopping) return;
      isStopping = true;
      say("Stopping");
      await running.stop();
      cluster?.stop();
      process.exit(0);
    });
  }
  process.stdout.write(`
Gangway runs, ready in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.

  Harbor, the partner app    ${partnerUrl}
  Plainbook, the service     ${serviceUrl}
  Log                        ${process.env["LOG_FILE"]}

Try this first:
  1. Open ${partnerUrl} and sign up as a seller. The phone in the corner shows your code.
  2. Fill in the form; any ssn will do. Continue to authorize, and press Authorize.
  3. In a private window, sign in as the operator (Olive Marsh), connect the business under "Business",
     then "Pay a seller": you. Watch it arrive, and look at your own dashboard.

And what goes wrong: an ssn ending in 0001 is rejected, 0002 waits, 0003 asks again, 0004 asks for a photo ID;
a payment ending in .11 fails, in .12 waits for somebody's decision (README, "Make it fail").

Ctrl-C stops everything, the database included.
`);
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  cluster?.stop();
  process.exit(1);
}

function say(sentence: string): void {
  process.stdout.write(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${sentence}\n`);
}

async function requireDisk(): Promise<void> {
  const { bavail, bsize } = await statfs(".");
  if (bavail * bsize < diskBytesMin) {
    throw new Error(
      "Less than 500 MB of disk space are free here, too little for the database and the build. Free some and try again.",
    );
  }
}
