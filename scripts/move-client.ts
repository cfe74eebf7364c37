import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import type { Databases } from "../lib/service/operations/clients/move-client.ts";

// `npm run client:move -- <client id> <address>`: moves a client from this installation's database to the one at the address,
// beside the running system; with `--clear`, later: deletes what it left here. Exits with 1 when nothing was done. See
// docs/scaling.md.

const usage = "Usage: npm run client:move -- <client id> <address of the other database> [--clear]";
const given = process.argv.slice(2);
const [clientId, targetUrl, ...rest] = given.filter((one) => one !== "--clear");
try {
  if (!clientId || !targetUrl || rest.length > 0 || !URL.canParse(targetUrl)) throw new Error(usage);
  loadEnvFile(existsSync(".env") ? ".env" : ".env.example");
  const { serviceConfig } = await import("../lib/service/config.ts");
  const databases = { sourceUrl: serviceConfig().databaseDirectUrl, targetUrl };
  await (given.includes("--clear") ? clear(clientId, databases) : move(clientId, databases));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function move(id: string, databases: Databases): Promise<void> {
  const { moveClient } = await import("../lib/service/operations/clients/move-client.ts");
  const { clientHint } = await import("../lib/service/domain/client-hint.ts");
  const outcome = await moveClient(id, databases);
  if (outcome.kind === "same_digits") {
    throw new Error(
      `The same digits stand for client ${outcome.otherClientId}, which lives here too. A router cannot tell the two apart, so they have to stay in one database. Nothing was moved.`,
    );
  }
  if (outcome.kind !== "moved" && outcome.kind !== "moved_before") throw new Error(sentences[outcome.kind]);
  const told =
    outcome.kind === "moved"
      ? `Moved with ${outcome.rows} rows. It was served nowhere for ${(outcome.pauseMs / 1000).toFixed(1)} s.`
      : "It has been moved before.";
  process.stdout.write(`${told} Now let the router send what begins with ${clientHint(id)} there.\n`);
}

async function clear(id: string, databases: Databases): Promise<void> {
  const { clearMovedClient } = await import("../lib/service/operations/clients/move-client.ts");
  const rows = await clearMovedClient(id, databases);
  if (rows === undefined) throw new Error("It does not live there, or is not away from here. Nothing was deleted.");
  process.stdout.write(`Deleted the ${rows} rows that it left here.\n`);
}

const sentences = {
  client_unknown: "There is no client of this id here.",
  lives_in_both: "This client is served in both databases. Nothing was moved; find out first which one is right.",
  other_schema:
    "The other database does not have the migrations of this one, or has others. Run npm run migrate there first.",
};
