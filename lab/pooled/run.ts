import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort, serverAccount } from "../../scripts/embedded-postgres.ts";
import { runStatements } from "../../scripts/run-statements.ts";
import { sharedClusterSetting, startTemplateCluster } from "../../scripts/test-cluster.ts";
import { findFile } from "../crash/failover/programs.ts";
import { limitsOfRole, pgbouncerSettings } from "../crash/failover/settings.ts";

// `npm run test:pooled` runs the request tests of both apps with PgBouncer (Debian: `apt-get install pgbouncer`) in
// transaction mode between the app and PostgreSQL; `npm run test:pooled -- <files>` runs other tests.

const requests = {
  service: ["lib/service/http/api", "lib/service/http/frame", "lib/service/operations/money"],
  partner: ["lib/partner"],
};
// These cut the PostgreSQL connection, set timeouts in its URL, or spread clients over cells. Poolers can't do that.
const notPooled = /\/(?:unknown-outcome\..*|reconcile-long|cells)\.test\.ts$/;

const pgbouncer = findFile("pgbouncer");
if (!pgbouncer) {
  console.error("This needs PgBouncer. On Debian: apt-get install pgbouncer");
  process.exit(2);
}
// A signal also stops what was started (`stop` below).
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const files = process.argv.slice(2);
for (const app of ["service", "partner"] as const) {
  const chosen = files.length > 0 ? files.filter((file) => file.startsWith(`lib/${app}`)) : listPooledTests(app);
  if (chosen.length > 0 && (await testPooled(pgbouncer, app, chosen)) !== 0) process.exitCode = 1;
}

function listPooledTests(app: "service" | "partner"): string[] {
  const files = requests[app].flatMap((folder) => globSync(`${folder}/**/*.test.ts`));
  return files.filter((file) => !notPooled.test(file));
}

async function testPooled(program: string, app: "service" | "partner", chosen: string[]): Promise<number> {
  const cluster = await startTemplateCluster(app, "pooled");
  const folder = mkdtempSync(join(tmpdir(), "gangway-pooled-"));
  const [port, direct] = [await freePort(), new URL(cluster.url)];
  await setLimits(cluster.url);
  const [settings, users] = [join(folder, "pgbouncer.ini"), join(folder, "userlist.txt")];
  writeFileSync(settings, pgbouncerSettings(port, Number(direct.port), users));
  writeFileSync(users, `"${direct.username}" "${direct.password}"\n`, { mode: 0o600 });
  const account = serverAccount();
  for (const path of account ? [folder, settings, users] : []) chownSync(path, account?.uid ?? 0, account?.gid ?? 0);
  const pooler = spawn(program, ["-q", settings], { ...account, stdio: ["ignore", "ignore", "inherit"] });
  let tests: ChildProcess | undefined;
  const stop = () => {
    tests?.kill();
    pooler.kill();
    cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", stop);
  try {
    while (!(await answers(port))) {
      if (pooler.exitCode !== null) throw new Error(`PgBouncer exited with ${pooler.exitCode}.`);
      await delay(50);
    }
    tests = spawn("vitest", ["run", "--project", app, ...reportersFor(app), ...chosen], {
      stdio: "inherit",
      env: { ...process.env, [sharedClusterSetting(app)]: cluster.url, TEST_POOLER_PORT: String(port) },
    });
    const [code] = (await once(tests, "exit")) as [number | null];
    return code ?? 1;
  } finally {
    process.off("exit", stop);
    stop();
  }
}

// POOLED_REPORTS is the results folder of `npm test`.
function reportersFor(app: string): string[] {
  const folder = process.env["POOLED_REPORTS"];
  return folder ? ["--reporter=dot", "--reporter=json", `--outputFile.json=${folder}/pooled-${app}.json`] : [];
}

/** Behind a pooler, timeouts are set on the role. */
async function setLimits(url: string): Promise<void> {
  const limits = Object.entries(limitsOfRole);
  await runStatements(url, ...limits.map(([name, ms]) => `alter role current_user set ${name} = ${ms}`));
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const isOpen = await Promise.race([
    once(socket, "connect").then(() => true),
    once(socket, "error").then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return isOpen;
}
