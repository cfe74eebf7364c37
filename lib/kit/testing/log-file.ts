import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { log } from "../log.ts";

/** Writes the log to a file and returns a reader of its lines. Call it before anything is logged. */
export function logToFile(): () => Record<string, unknown>[] {
  const folder = mkdtempSync(join(tmpdir(), "log-"));
  const file = join(folder, "lines.log");
  process.env["LOG_FILE"] = file;
  process.env["LOG_LEVEL"] = "info";
  afterAll(() => rmSync(folder, { recursive: true }));
  return () => {
    log().flush();
    const lines = readFileSync(file, "utf8").trim().split("\n");
    return lines.map((line) => JSON.parse(line));
  };
}
