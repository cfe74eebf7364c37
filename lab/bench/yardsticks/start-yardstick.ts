import { fileURLToPath } from "node:url";
import type { Reaper } from "../../crash/processes/start-reaper.ts";
import { type Callee, type Handlers, startCallee } from "../processes/calls.ts";

/** `file` is relative to this folder. */
export function startYardstick<H extends Handlers>(
  file: string,
  { reaper, env = {} }: { reaper: Reaper; env?: Record<string, string> },
): Promise<Callee<H>> {
  const name = file.replace(/\.ts$/, "").replaceAll("/", "-");
  return startCallee<H>(fileURLToPath(new URL(file, import.meta.url)), {
    name,
    env,
    reaper,
  });
}
