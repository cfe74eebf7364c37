import { fileURLToPath } from "node:url";
import type { Reaper } from "../../crash/processes/start-reaper.ts";
import { type Callee, startCallee } from "../processes/calls.ts";
import type { Generator, Load } from "./generator.ts";
import type { ReceiverProcess } from "./receiver.ts";

export async function startLoad(name: string, load: Load, reaper: Reaper): Promise<Callee<Generator>> {
  const generator = await startCallee<Generator>(fileURLToPath(new URL("./generator.ts", import.meta.url)), {
    name: `generator-${name}`,
    env: {},
    reaper,
  });
  await generator.call("prepare", load);
  return generator;
}

export type Receiver = Callee<ReceiverProcess> & { url: string; hangingUrl: string };

export async function startReceiver(name: string, reaper: Reaper): Promise<Receiver> {
  const file = fileURLToPath(new URL("./receiver.ts", import.meta.url));
  const receiver = await startCallee<ReceiverProcess>(file, { name: `receiver-${name}`, env: {}, reaper });
  return { ...receiver, ...(await receiver.call("start", undefined)) };
}
