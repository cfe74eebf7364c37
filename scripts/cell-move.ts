import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import pg from "pg";
import { sentenceOf } from "../lib/kit/describe-error.ts";
import { writableAddress } from "../lib/kit/postgres.ts";
import { cellsOf } from "../lib/service/cells.ts";
import { readCellCount } from "../lib/service/config.ts";
import { listCellNodes, moveCell } from "../lib/service/storage/cell-nodes.ts";
import { withClient } from "../lib/service/storage/migrate-cells.ts";
import { endWithUsage } from "./exit.ts";

// `npm run cell:move` lists each cell's node; `npm run cell:move -- 3 10.0.0.7:5432` moves one to another node while the
// service runs. See docs/scaling.md.

try {
  if (existsSync(".env")) loadEnvFile(".env");
  const move = readMove(process.argv.slice(2));
  const url = process.env["SERVICE_DATABASE_DIRECT_URL"] || process.env["SERVICE_DATABASE_URL"];
  if (!url) throw new Error("SERVICE_DATABASE_URL must name the database.");
  const cells = cellsOf(readCellCount(process.env));
  if (move) {
    const startedAt = performance.now();
    const { from, closedMs } = await moveCell({ ...move, url, cells });
    const took = `${seconds(performance.now() - startedAt)} s (closed for ${seconds(closedMs)} s)`;
    process.stdout.write(`Cell ${move.cell} moved from ${from} to ${move.to} in ${took}.\n`);
  } else {
    const nodes = await withClient(await writableAddress(url), (home) => listCellNodes(home, url, cells));
    for (const { hosts, cells: nodeCells, unfinished } of nodes) {
      const interrupted = unfinished.length > 0 ? `; repeat the interrupted moves of ${unfinished.join(", ")}` : "";
      process.stdout.write(`${hosts}: cells ${nodeCells.join(", ")}${interrupted}\n`);
    }
  }
} catch (error) {
  process.stderr.write(`${describeMoveError(error)}\n`);
  process.exitCode = 1;
}

function readMove([cell, to, ...rest]: string[]): { cell: number; to: string } | undefined {
  if (cell === undefined) return undefined;
  if (!/^[1-9]\d{0,3}$/.test(cell) || !/^[^/@?#]+:\d+$/.test(to ?? "") || to === undefined || rest.length > 0) {
    endWithUsage("npm run cell:move [-- CELL HOST:PORT], such as 3 10.0.0.7:5432");
  }
  return { cell: Number(cell), to };
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

function describeMoveError(error: unknown): string {
  const { detail, hint } = error instanceof pg.DatabaseError ? error : {};
  return [sentenceOf(error), detail, hint].filter(Boolean).join(". ");
}
