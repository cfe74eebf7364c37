import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import pg from "pg";
import { sentenceOf } from "../lib/kit/describe-error.ts";
import { writableAddress } from "../lib/kit/postgres.ts";
import { cellsOf } from "../lib/service/cells.ts";
import { readCellCount } from "../lib/service/config.ts";
import { listCellNodes, moveCell } from "../lib/service/storage/cell-nodes.ts";
import { endWithUsage } from "./end-with-usage.ts";

// `npm run cell:move` lists where the cells are; `npm run cell:move -- 3 10.0.0.7:5432` moves one to another node of Citus
// beside the running service. See docs/scaling.md.

try {
  if (existsSync(".env")) loadEnvFile(".env");
  const wanted = readWanted(process.argv.slice(2));
  const url = process.env["SERVICE_DATABASE_DIRECT_URL"] || process.env["SERVICE_DATABASE_URL"];
  if (!url) throw new Error("SERVICE_DATABASE_URL must name the database.");
  const cells = cellsOf(readCellCount(process.env));
  // No time limit: copying a cell takes as long as it takes.
  const client = new pg.Client({ connectionString: await writableAddress(url) });
  await client.connect();
  try {
    if (wanted) {
      const startedAt = performance.now();
      const from = await moveCell(client, { ...wanted, cells });
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      process.stdout.write(`Cell ${wanted.cell} moved from ${from} to ${wanted.to} in ${seconds} s.\n`);
    } else {
      for (const { address, cells: own } of await listCellNodes(client, cells)) {
        process.stdout.write(`${address}: ${own.length === 0 ? "no cell" : `cells ${own.join(", ")}`}\n`);
      }
    }
  } finally {
    await client.end();
  }
} catch (error) {
  process.stderr.write(`${describeMoveError(error)}\n`);
  process.exitCode = 1;
}

function readWanted([cell, to, ...rest]: string[]): { cell: number; to: string } | undefined {
  if (cell === undefined) return undefined;
  if (!/^[1-9]\d{0,3}$/.test(cell) || !/^.+:\d+$/.test(to ?? "") || to === undefined || rest.length > 0) {
    endWithUsage("npm run cell:move [-- CELL HOST:PORT], such as 3 10.0.0.7:5432");
  }
  return { cell: Number(cell), to };
}

function describeMoveError(error: unknown): string {
  const { detail, hint } = error instanceof pg.DatabaseError ? error : {};
  return [sentenceOf(error), detail, hint].filter(Boolean).join(". ");
}
