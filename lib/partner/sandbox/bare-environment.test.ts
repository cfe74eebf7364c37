import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { partner } from "../process-partner.ts";
import { listDemoPeople } from "./seed.ts";

test("a process without PARTNER_SANDBOX is outside a sandbox: it creates no demo people", async () => {
  // Only the example exists, without a developer's .env.
  const folder = mkdtempSync(join(tmpdir(), "gangway-bare-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  copyFileSync(".env.example", join(folder, ".env.example"));
  symlinkSync(resolve("lib"), join(folder, "lib"));
  const { PARTNER_SANDBOX: _, ...environment } = process.env;
  const worker = spawn(process.execPath, [resolve("scripts/run.mjs"), resolve("server.ts")], {
    cwd: folder,
    env: {
      ...environment,
      ROLES: "partner-worker",
      PROVIDERS: resolve("deploy/providers.example.ts"),
      PARTNER_CLIENT_ID: "harbor",
      PARTNER_CLIENT_SECRET: "own client secret",
      PARTNER_CUSTOMER_ENDPOINT_SECRET: "own endpoint secret",
      PARTNER_WEBHOOK_SECRET: `whsec_${randomBytes(24).toString("base64")}`,
      PARTNER_ENCRYPTION_KEYS: `own-1:${randomBytes(32).toString("base64")}`,
      PARTNER_SESSION_SECRET: randomBytes(32).toString("hex"),
      NODE_ENV: "production",
      LOG_LEVEL: "silent",
    },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  onTestFinished(() => void worker.kill("SIGKILL"));
  const [message] = await Promise.race([once(worker, "message"), once(worker, "exit")]);
  expect(message).toBe("ready");
  expect(await listDemoPeople(partner())).toEqual([]);
});
