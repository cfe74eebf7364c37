import { fileURLToPath } from "node:url";
import type { Reaper } from "../../crash/processes/start-reaper.ts";
import { type Callee, startCallee } from "../processes/calls.ts";
import type { Generator, Load } from "./generator.ts";

export async function startLoad(name: string, load: Load, reaper: Reaper): Promise<Callee<Generator>> {
  const generator = await startCallee<Generator>(fileURLToPath(new URL("./generator.ts", import.meta.url)), {
    name: `generator-${name}`,
    env: {},
    reaper,
  });
  await generator.call("prepare", load);
  return generator;
}
