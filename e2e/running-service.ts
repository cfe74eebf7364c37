import { type ChildProcess, spawn } from "node:child_process";

/** A command under way: what it has printed so far, and how it ends. */
export type RunningCommand = {
  child: ChildProcess;
  output: { stdout: string; stderr: string };
  /** Resolves with the first line on standard output; rejects with what it said when it ended without one. */
  ready: Promise<Record<string, string>>;
  ended: Promise<number | null>;
};

/** Starts a command that prints a line of JSON once it is ready. */
export function startCommand(
  program: string,
  parameters: string[],
  { cwd = ".", env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): RunningCommand {
  const child = spawn(program, parameters, {
    cwd,
    // Settings of the shell that runs the tests stay out of it.
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
    void ended.then((code) => reject(new Error(`ended with ${code}: ${output.stderr}`)));
  });
  ready.catch(() => undefined);
  return { child, output, ready, ended };
}
