import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Runs a JavaScript file with this Node.js, in a process that ends as soon as this one does, however this one ends. Read its
 * output from `stdout` and `stderr`.
 */
export function spawnTied(file: string, parameters: string[], env: NodeJS.ProcessEnv): ChildProcess {
  const guard = fileURLToPath(new URL("./end-with-parent.ts", import.meta.url));
  return spawn(process.execPath, [guard, file, ...parameters], {
    env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
}
