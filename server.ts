import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import { sentenceOf } from "./lib/kit/describe-error.ts";
import { log } from "./lib/kit/log.ts";
import type { RunningServer } from "./server/start.ts";

// The entry point. `npm run demo`, `harbor` and `dev` bring a database and settings; here the operator provides both.
if (existsSync(".env")) loadEnvFile(".env");
process.env["NEXT_TELEMETRY_DISABLED"] ||= "1";
if (!process.env.NODE_ENV) Object.assign(process.env, { NODE_ENV: "production" });

try {
  // After the settings, because Next and React choose their builds by NODE_ENV on load.
  const { parseRoles } = await import("./server/roles.ts");
  const { startServer } = await import("./server/start.ts");
  const { processSettings, requirePrerequisites } = await import("./server/process-settings.ts");
  const roles = parseRoles(process.env["ROLES"]);
  requirePrerequisites(roles, process.env);
  let running: RunningServer | undefined;
  let isStopping = false;
  // Only the first signal counts: a supervisor and npm may each send one.
  const stop = async (drainMs: number) => {
    if (isStopping) return;
    isStopping = true;
    await running?.stop({ drainMs });
    process.exit(0);
  };
  // Before the start, because the first process of a container gets only the signals that it handles. After Ctrl-C there is no
  // proxy to wait for.
  process.on("SIGINT", () => void stop(0));
  process.on("SIGTERM", () => void stop(processSettings().drainMs));
  running = await startServer(roles);
  // The parent process (the tests, `npm run dev`) waits for this message.
  process.send?.("ready");
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`);
  try {
    log().fatal({ error }, "could not start");
  } catch {
    // The log itself could not be opened.
  }
  process.exit(1);
}
