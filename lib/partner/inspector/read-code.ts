import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Rule, rules } from "./rules.ts";

// Long functions are cut to this many lines around the call.
const linesAround = 12;

/** The function that made an exchange, cut around the call. `start` and `call` are line numbers in the file. */
export type ExchangeCode = { start: number; call: number; lines: string[]; editor: string };

/** The code of a known rule; undefined outside a checkout. */
export function findCode(file: string | null, line: string | null): ExchangeCode | undefined {
  const known = rules.find((rule) => rule.file === file && rule.line === line);
  return known && readCode(known);
}

export function readCode({ file, line }: Pick<Rule, "file" | "line">, root = process.cwd()): ExchangeCode | undefined {
  // Outside a git checkout (an image or a copy), the files can differ from the running code.
  if (!existsSync(join(/* turbopackIgnore: true */ root, ".git"))) return undefined;
  const path = join(/* turbopackIgnore: true */ root, file);
  if (!existsSync(path)) return undefined;
  const source = readFileSync(path, "utf8").split("\n");
  const call = source.findIndex((text) => text.includes(line));
  if (call < 0) return undefined;
  // In formatted code, declarations start and end at the left margin.
  const declared = source.findLastIndex((text, index) => index <= call && /^\w/.test(text));
  const ended = source.findIndex((text, index) => index >= call && text.startsWith("}"));
  const [start, end] = [Math.max(declared, call - linesAround), Math.min(ended, call + linesAround)];
  return {
    start: start + 1,
    call: call + 1,
    lines: source.slice(start, end + 1),
    editor: `vscode://file${path}:${call + 1}`,
  };
}
