import { type ChildProcess, spawn } from "node:child_process";

/** A running command with its output so far. */
export type RunningCommand = {
  child: ChildProcess;
  output: { stdout: string; stderr: string };
  /** Resolves with the first stdout line; rejects with stderr if it exits without one. */
  ready: Promise<Record<string, string>>;
  ended: Promise<number | null>;
};

/** Starts a command that prints a line of JSON when ready. */
export function startCommand(
  program: string,
  parameters: string[],
  { cwd = ".", env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): RunningCommand {
  const child = spawn(program, parameters, {
    cwd,
    // Doesn't inherit the test shell's settings.
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", NODE_ENV: "production", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  child.stderr.on("data", (chunk: Buffer) => {
    output.stderr += chunk.toString();
  });
  const ready = new Promise<Record<string, string>>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      output.stdout += chunk.toString();
      const [line, rest] = output.stdout.split("\n");
      if (rest !== undefined) resolve(JSON.parse(line ?? "") as Record<string, string>);
    });
    void ended.then((code) => reject(new Error(`exited with ${code}: ${output.stderr}`)));
  });
  ready.catch(() => undefined);
  return { child, output, ready, ended };
}
