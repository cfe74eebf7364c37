import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";

test("a slow reader of a pipe gets everything that was printed", async () => {
  const module = JSON.stringify(new URL("./exit.ts", import.meta.url).href);
  const code = `
    import { exitOnceWritten } from ${module};
    setInterval(() => {}, 1000);
    process.stdout.write("x".repeat(3_000_000));
    await exitOnceWritten();`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  // More than a pipe holds is still to come.
  await delay(500);
  let bytes = 0;
  for await (const part of child.stdout) bytes += (part as Buffer).length;
  expect(bytes).toBe(3_000_000);
});
