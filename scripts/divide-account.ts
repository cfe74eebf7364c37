import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import { accountPartsMax } from "../lib/service/domain/account-parts.ts";
import { dataFolderOf, startEmbeddedDatabases } from "./embedded-databases.ts";

// `npm run account:parts -- <account id> <number>`: divides an account that every booking touches into so many parts, beside
// the running system; 0 folds them back. Exits with 1 when the account stays as it was. See docs/operations.md.

const [accountId, number] = process.argv.slice(2);
try {
  const parts = Number(number);
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(accountId ?? "");
  if (!accountId || !isUuid || !number || !Number.isInteger(parts) || parts < 0 || parts > accountPartsMax) {
    throw new Error(`Usage: npm run account:parts -- <account id> <number of parts, 0 to ${accountPartsMax}>`);
  }
  loadEnvFile(existsSync(".env") ? ".env" : ".env.example");
  const cluster = await startEmbeddedDatabases(dataFolderOf("demo"), ["service"]);
  try {
    await divide(accountId, parts);
  } finally {
    cluster?.stop();
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function divide(id: string, parts: number): Promise<void> {
  const { divideAccount } = await import("../lib/service/operations/money/divide-account.ts");
  const { servicePool } = await import("../lib/service/storage/database.ts");
  try {
    const outcome = await divideAccount(id, parts);
    if (outcome.kind !== "divided") throw new Error(sentences[outcome.kind]);
    process.stdout.write(`The account had ${outcome.partsBefore} parts and has ${parts} now.\n`);
  } finally {
    await servicePool().end();
  }
}

const sentences = {
  account_not_found: "There is no account of this id.",
  account_not_divisible: "The sandbox's funding account cannot be divided.",
  books_disagree:
    "The holds of this account do not sum to what it has held. Nothing was changed; see npm run reconcile.",
};
