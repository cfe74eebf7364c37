import { existsSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { loadEnvFile } from "node:process";
import type * as z from "zod/mini";
import { type ChangeEnvelope, type ClientChange, clientCreation } from "../lib/contract/operator.ts";
import { requireCatalog } from "../lib/kit/database-catalog.ts";
import { sentenceOf } from "../lib/kit/describe-error.ts";
import { newTraceId } from "../lib/kit/trace.ts";
import { OutcomeUnknownError } from "../lib/kit/transaction.ts";
import { cells, firstCell, inCell, inEachCell, schemaOf } from "../lib/service/cells.ts";
import { serviceConfig } from "../lib/service/config.ts";
import { requireValid } from "../lib/service/http/frame/read-request.ts";
import { ServiceError } from "../lib/service/http/frame/refusal.ts";
import {
  clientChanges,
  presentChange,
  presentClient,
  presentClients,
} from "../lib/service/http/operator/client-routes.ts";
import { createClient } from "../lib/service/operations/clients/create-client.ts";
import { listClients, readClient } from "../lib/service/operations/clients/read-clients.ts";
import { refuseSandboxData } from "../lib/service/operations/refuse-sandbox-data.ts";
import { requireOwnKeys } from "../lib/service/operations/rotate-keys.ts";
import { chooseProviders, productionProviders } from "../lib/service/providers.ts";
import { findCellOfClient, requireServedCells } from "../lib/service/storage/client-cells.ts";
import { migrationsFolder, servicePool } from "../lib/service/storage/database.ts";
import { requireMigratedCells } from "../lib/service/storage/migrate-cells.ts";
import { loadProviders } from "../server/load-providers.ts";
import { processSettings } from "../server/process-settings.ts";
import { type ClientCommand, describeCommands, placeOf, readCommand, WrongCommandError } from "./client-commands.ts";
import { openOperatorDatabases } from "./embedded-databases.ts";
import { exitOnceWritten } from "./exit.ts";

// `npm run client -- create | show | …`: registers and changes clients of the service, in a sandbox and in production.
// See docs/operations.md.

const args = process.argv.slice(2);
if (args.includes("--help")) {
  process.stdout.write(`${describeCommands()}\n`);
  process.exit(0);
}
try {
  const parsed = readCommand(args);
  if (existsSync(".env")) loadEnvFile(".env");
  // Only the result is printed.
  process.env["LOG_LEVEL"] = "silent";
  const cluster = await openOperatorDatabases(["service"]);
  try {
    await run(parsed);
  } finally {
    cluster?.stop();
  }
} catch (error) {
  const advice = error instanceof OutcomeUnknownError ? " Look with `npm run client -- show`." : "";
  process.stderr.write(`${sentenceOf(error)}${advice}\n`);
  process.exitCode = error instanceof WrongCommandError ? 2 : 1;
}
// A module of providers may keep connections and timers.
await exitOnceWritten();

async function run(command: ClientCommand): Promise<void> {
  try {
    await requireOwnDatabase(command.clientId);
    const result = await resultOf(command);
    process.stdout.write(command.isJson ? `${JSON.stringify(result)}\n` : `${lines(result).join("\n")}\n`);
  } finally {
    await inEachCell(() => servicePool().end());
  }
}

function resultOf(command: ClientCommand): Promise<unknown> {
  if (command.command === "show") return show(command.clientId);
  return command.outputFile === undefined ? change(command) : writePhoto(command, command.outputFile);
}

/**
 * Checks what a starting process checks, so that nothing is written where none could start. For a known client, only in
 * its cell and the directory's: another may be down.
 */
async function requireOwnDatabase(clientId: string | undefined): Promise<void> {
  const { databaseDirectUrl, mode } = serviceConfig();
  await requireMigratedCells(databaseDirectUrl, [firstCell]);
  await requireServedCells();
  const own = clientId === undefined ? undefined : await findCellOfClient(clientId);
  const needed = own === undefined ? cells() : [firstCell, own];
  await requireMigratedCells(databaseDirectUrl, needed);
  for (const cell of new Set(needed)) {
    await inCell(cell, async () => {
      await requireCatalog(servicePool(), migrationsFolder, schemaOf(cell));
      if (mode === "production") await refuseSandboxData();
      await requireOwnKeys();
    });
  }
}

async function show(clientId: string | undefined): Promise<unknown> {
  if (clientId !== undefined) {
    const found = await readClient(clientId);
    if (!found) throw new WrongCommandError(`${clientId}: There is no client with this id.`);
    return presentClient(found);
  }
  const clients = [];
  for (let next: string | null | undefined; next !== null; ) {
    const part = await listClients({ limit: 100, startingAfter: next });
    clients.push(...presentClients(part).clients);
    next = part.next;
  }
  return { clients };
}

/** Creates the file first, so that no view is recorded if its photo can't be written. */
async function writePhoto(command: ClientCommand, path: string): Promise<unknown> {
  await connectPhotoStorage();
  const file = await createFile(path);
  let isWritten = false;
  try {
    const { photo, ...viewed } = await change(command);
    if (photo !== undefined) {
      await file.writeFile(photo, "base64");
      isWritten = true;
    }
    return viewed;
  } finally {
    await file.close();
    if (!isWritten) await rm(path);
  }
}

async function connectPhotoStorage(): Promise<void> {
  const isSandbox = serviceConfig().mode === "sandbox";
  const mode = "SERVICE_MODE=production";
  chooseProviders(
    productionProviders(await loadProviders(processSettings().providers, { mode, isSandbox, needs: [] })),
  );
}

async function createFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", 0o600);
  } catch (error) {
    const exists = error instanceof Error && "code" in error && error.code === "EEXIST";
    throw new WrongCommandError(`--out: ${path} ${exists ? "exists already" : "can't be written"}.`);
  }
}

async function change(parsed: ClientCommand): Promise<ClientChange> {
  const { command, clientId = "", input } = parsed;
  const origin = { clientId, via: "command", traceId: newTraceId() } as const;

  const outcome = await make();
  switch (outcome.kind) {
    case "made":
      return presentChange(outcome);
    case "not_found":
      throw new WrongCommandError(`${clientId}: There is no client with this id.`);
    case "refused":
      throw new WrongCommandError(`${placeOf(parsed, outcome.field)}: ${outcome.message}`);
  }

  function make() {
    if (command === "create") return createClient(origin, valid(clientCreation, { ...input, client_id: clientId }));
    const operation = clientChanges.find(({ action }) => action === command);
    if (!operation) throw new Error(`No operation implements ${command}.`);
    return operation.request(origin, (body) => valid(body, input));
  }

  function valid<Body extends z.ZodMiniType<ChangeEnvelope>>(body: Body, value: unknown): z.output<Body> {
    try {
      return requireValid(body, value);
    } catch (error) {
      const problem = error instanceof ServiceError ? error.refusal.errors?.[0] : undefined;
      throw problem ? new WrongCommandError(`${placeOf(parsed, problem.field)}: ${problem.message}`) : error;
    }
  }
}

/** A result for people: one line per field, with nested fields indented. */
function lines(value: unknown, indent = ""): string[] {
  if (typeof value !== "object" || value === null) return [`${indent}${String(value)}`];
  return Object.entries(value).flatMap(([name, field]) => {
    const label = Array.isArray(value) ? "-" : `${name}:`;
    if (typeof field !== "object" || field === null) return [`${indent}${label} ${field ?? "none"}`];
    if (Object.keys(field).length === 0) return [`${indent}${label} none`];
    const [first = "", ...rest] = lines(field, `${indent}  `);
    return Array.isArray(value) ? [`${indent}- ${first.trim()}`, ...rest] : [`${indent}${label}`, first, ...rest];
  });
}
