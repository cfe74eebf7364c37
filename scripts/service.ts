import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { addressOf, findListenAddress } from "../server/listen-address.ts";
import { processSettings } from "../server/process-settings.ts";
import { dataFolderOf } from "./embedded-databases.ts";
import { freePort } from "./embedded-postgres.ts";
import { fillMemoryFolder, memoryFolder } from "./memory-data.ts";
import { requireFreePorts } from "./ports.ts";
import { describeOptions, readServiceOptions, type ServiceOptions } from "./service-options.ts";
import { readinessOf, requireDataFolder, serviceSettings } from "./service-settings.ts";
import { startApps } from "./start-apps.ts";

// Plainbook alone, for your own app: what `npm run service` and the package's command `plainbook` do.

const isPackage = import.meta.url.endsWith(".js");
const calledFrom = process.cwd();
// The package is called from another project's folder; the service's files are beside this one.
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
if (isPackage) process.env["NEXT_DIST_DIR"] = ".next";
if (process.env["LOG_FILE"]) process.env["LOG_FILE"] = resolve(calledFrom, process.env["LOG_FILE"]);

const args = process.argv.slice(2);
if (args.includes("--help")) {
  const prefix = isPackage ? "plainbook" : "npm run";
  const tools = ["checks", "drills", "mcp"].map((tool) => `\`${prefix} ${tool}\``).join(", ");
  process.stdout.write(
    `Runs Plainbook with its database, for your own app.\n\n${describeOptions()}\n\nTo check and test your app once it runs: ${tools}.\n`,
  );
  process.exit(0);
}
const options = readOptions();
const isInMemory = options.data === "memory";
const dataFolder = () => (isInMemory ? memoryFolder() : resolve(calledFrom, options.data ?? dataFolderOf("service")));
const readiness = () => readinessOf(process.env, { data: dataFolder() });

await startApps({
  command: "service",
  apps: ["service"],
  roles: "service-api,service-web,service-worker",
  dataFolder,
  hasSources: !isPackage,
  pagesOnDemand: true,
  ...(isInMemory && { fillDataFolder: fillMemoryFolder }),
  check: async (folder) => {
    if (!isInMemory) requireDataFolder(folder);
    Object.assign(process.env, serviceSettings(options, { settings: process.env, freePort: await freePort() }));
    const { base_url, auth_url } = readiness();
    const [ofApi, ofPages] = processSettings().serviceListen ?? [];
    const listens = [await findListenAddress(base_url, ofApi)];
    if (auth_url !== base_url) listens.push(await findListenAddress(auth_url, ofPages));
    await requireFreePorts(listens.map(addressOf), "choose another one with --port");
  },
  greet: async ({ seconds, logFile }) => {
    const { base_url, auth_url, client_id, client_secret, redirect_uris, webhook_url, customers_url, data } =
      readiness();
    const { findResolvedRefusal } = await import("../lib/service/outbound/dispatcher.ts");
    const called = [webhook_url, customers_url].filter((url) => url !== null);
    const refusals = (await Promise.all(called.map(findResolvedRefusal))).filter((sentence) => sentence !== undefined);
    return `
Plainbook runs, ready in ${seconds} s.

  Plainbook          ${base_url} (its first calls; reference at /docs)
  Its console        ${auth_url}/console (each step of your app, as Plainbook saw it)
  Client             ${client_id} with the secret ${client_secret}
  Redirect address   ${redirect_uris.join(", ")}
  Webhooks           ${webhook_url ?? "wait until --webhook-url is set"}
  Customers          ${customers_url ?? "all exist and match until --customers-url is set"}
  Data               ${data}
  Log                ${logFile}
${[...new Set(refusals)].map((sentence) => `\n${sentence}\n`).join("")}
Ctrl-C stops everything, including the database.
`;
  },
  announce: () => JSON.stringify(readiness()),
});

function readOptions(): ServiceOptions {
  try {
    return readServiceOptions(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(2);
  }
}
