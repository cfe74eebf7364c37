import { AsyncLocalStorage } from "node:async_hooks";
import { sentenceOf } from "../kit/describe-error.ts";
import { memoize, processWide } from "../kit/memoize.ts";
import { serviceConfig } from "./config.ts";

/**
 * The number of a schema that holds whole clients. Statements don't name it: the connection's search path does. The first
 * cell is `public`, which also holds the directory of clients.
 */
export type Cell = number;

export const firstCell: Cell = 1;

export const cells = memoize((): readonly Cell[] => cellsOf(serviceConfig().cells));

export function cellsOf(count: number): Cell[] {
  return Array.from({ length: count }, (_, index) => firstCell + index);
}

export function hasSeveralCells(): boolean {
  return serviceConfig().cells > 1;
}

export function schemaOf(cell: Cell): string {
  return cell === firstCell ? "public" : `cell_${cell}`;
}

const current = processWide("service.current_cell", () => new AsyncLocalStorage<Cell>());

/** Runs `work`, and everything it starts, in a cell. */
export function inCell<T>(cell: Cell, work: () => T): T {
  return current().run(cell, work);
}

/** Throws if several cells exist and none was chosen, because guessing wrong would be worse. */
export function currentCell(): Cell {
  const cell = current().getStore();
  if (cell !== undefined) return cell;
  if (hasSeveralCells()) throw new Error("No cell was chosen for a statement (lib/service/cells.ts).");
  return firstCell;
}

/** Runs `work` in all cells concurrently. */
export function inEachCell<T>(work: () => Promise<T>): Promise<T[]> {
  return Promise.all(cells().map((cell) => inCell(cell, work)));
}

/** Like `inEachCell`, but one cell's failure doesn't hide another's result. With several cells, `errors` say which. */
export async function tryInEachCell<T>(work: () => Promise<T>): Promise<{ results: T[]; errors: Error[] }> {
  const [results, errors]: [T[], Error[]] = [[], []];
  await inEachCell(() =>
    work().then(
      (result) => results.push(result),
      (cause: unknown) => {
        const prefix = hasSeveralCells() ? `Cell ${currentCell()} failed: ` : "";
        errors.push(new Error(`${prefix}${sentenceOf(cause)}`, { cause }));
      },
    ),
  );
  return { results, errors };
}

/**
 * Runs `work` in the cell where `has` is true, or in the first if there is none. Throws if that's unknown because a cell
 * didn't answer.
 */
export async function inCellWhere<T>(has: () => Promise<boolean>, work: () => Promise<T>): Promise<T> {
  if (!hasSeveralCells()) return work();
  const outcomes = await Promise.allSettled(cells().map((cell) => inCell(cell, has)));
  const index = outcomes.findIndex((answer) => answer.status === "fulfilled" && answer.value);
  const failed = outcomes.find((answer) => answer.status === "rejected");
  if (index < 0 && failed) throw failed.reason;
  return inCell(cells()[index] ?? firstCell, work);
}

/** Like `processWide`, but once per cell: calls of two cells never share a set of statements. */
export function perCell<T>(name: string, make: () => T): () => T {
  const instances = processWide(name, () => new Map<Cell, T>());
  return () => {
    const cell = currentCell();
    const known = instances().get(cell);
    if (known !== undefined) return known;
    const value = make();
    instances().set(cell, value);
    return value;
  };
}

// If a request names no client, its secrets and ids carry the cell. The first cell has no mark.

/** The cell mark that a secret of the current cell starts with. */
export function cellMark(): string {
  const cell = currentCell();
  return cell === firstCell ? "" : `${cell}.`;
}

/** The cell of a secret with this prefix; undefined if there's no such cell. */
export function cellOfSecret(secret: string, prefix: string): Cell | undefined {
  const [, mark] = /^([1-9]\d*)\./.exec(secret.startsWith(prefix) ? secret.slice(prefix.length) : "") ?? [];
  return mark === undefined ? firstCell : knownCell(Number(mark));
}

/** Marks an id of version 7 with the current cell; the version becomes 8. */
export function markId(id: string): string {
  const cell = currentCell();
  if (cell === firstCell) return id;
  return `${id.slice(0, 14)}8${id.slice(15, -4)}${cell.toString(16).padStart(4, "0")}`;
}

/** Runs `work` in the cell of an id from `markId`. Without such a cell, runs it in the first, which won't find the id. */
export function inCellOfId<T>(id: string, work: () => T): T {
  return inCell((id[14] === "8" && knownCell(Number.parseInt(id.slice(-4), 16))) || firstCell, work);
}

function knownCell(cell: Cell): Cell | undefined {
  return cells().includes(cell) ? cell : undefined;
}
