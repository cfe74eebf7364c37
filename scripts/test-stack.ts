import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import pg from "pg";
import { migrateDatabase } from "../lib/kit/migrate-database.ts";
import { type Role, roles } from "../server/roles.ts";
import { freePort } from "./embedded-postgres.ts";
import { runStatements } from "./run-statements.ts";

/** The demo's SERVICE_SEED_CLIENT for Harbor at another address. */
export function seedClientAt(partnerUrl: string): string {
  const example = parseEnv(readFileSync(".env.example", "utf8"));
  return JSON.stringify({
    ...JSON.parse(example["SERVICE_SEED_CLIENT"] ?? ""),
    redirect_uris: [`${partnerUrl}/callback`],
    customers_url: partnerUrl,
    webhook_url: `${partnerUrl}/webhooks`,
  });
}

/** Both apps on free ports, each with its own database. */
export type Stack = {
  partnerUrl: string;
  serviceUrl: string;
  authUrl: string;
  /** Kills the processes with a role of this app, like a crash. Returns a function that restarts them at their addresses. */
  kill: (app: App) => Promise<() => Promise<void>>;
  /** Breaks the pages that list payments, by renaming their table. Returns a function that repairs them. */
  breakPaymentPages: () => Promise<() => Promise<void>>;
  /** Keeps everyone from connecting to this app's database. Returns a function that restores access. */
  blockDatabase: (app: App) => Promise<() => Promise<void>>;
  stop: () => Promise<void>;
};

type App = "service" | "partner";

type StackOptions = {
  postgresUrl: string;
  /**
   * True: each role in its own process, the authorization pages on their own port, and Harbor as a database role with the
   * grants of deploy/harbor-grants.sql.
   */
  apart: boolean;
  /** The only roles to run, in one process; all by default. */
  only?: Role[];
  /** Overrides of the usual settings. */
  settings?: Record<string, string>;
};

/**
 * Starts the production build on free ports against new databases of the cluster at `postgresUrl`.
 */
export async function startStack({ postgresUrl, apart, only, settings: changed = {} }: StackOptions): Promise<Stack> {
  const [partnerPort, servicePort, authPort] = [await freePort(), await freePort(), await freePort()];
  const partnerUrl = `http://localhost:${partnerPort}`;
  const serviceUrl = `http://127.0.0.1:${servicePort}`;
  const authUrl = apart ? `http://127.0.0.1:${authPort}` : serviceUrl;
  const name = `stack_${randomBytes(4).toString("hex")}`;
  const runs = (app: App) => (only ?? roles).some((role) => role.startsWith(app));
  const demo = parseEnv(readFileSync(".env.example", "utf8"));
  const settings: NodeJS.ProcessEnv = {
    ...demo,
    PATH: process.env["PATH"],
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    NODE_ENV: "production",
    NEXT_DIST_DIR: ".next-test",
    SERVICE_BASE_URL: serviceUrl,
    SERVICE_AUTH_URL: authUrl,
    SERVICE_DATABASE_URL: runs("service") ? await createDatabase(postgresUrl, name, "service") : undefined,
    SERVICE_SEED_CLIENT: seedClientAt(partnerUrl),
    PARTNER_BASE_URL: partnerUrl,
    PARTNER_DATABASE_URL: runs("partner") ? await createPartnerDatabase(postgresUrl, name, apart) : undefined,
    PARTNER_SERVICE_BASE_URL: serviceUrl,
    PARTNER_SERVICE_AUTH_URL: authUrl,
    LOG_LEVEL: "info",
    LOG_FILE: "",
    ...changed,
  };
  const groups = apart ? roles.map(String) : [only?.join(",") ?? "all"];
  const processes = new Map<string, ChildProcess>();
  const start = async (started: string[]) => {
    for (const group of started) processes.set(group, await startProcess(group, name, settings));
  };
  const stop = async () => void (await Promise.all([...processes.values()].map((child) => end(child, "SIGTERM"))));
  const kill = async (app: App) => {
    const killed = [...processes].filter(([group]) => group === "all" || group.includes(app));
    await Promise.all(killed.map(([, child]) => end(child, "SIGKILL")));
    return () => start(killed.map(([group]) => group));
  };
  const breakPaymentPages = async () => {
    const url = Object.assign(new URL(postgresUrl), { pathname: `/${name}_partner` }).href;
    await runStatements(url, "alter table routines rename to routines_away");
    return async () => void (await runStatements(url, "alter table routines_away rename to routines"));
  };
  const blockDatabase = async (app: App) => {
    const database = `${name}_${app}`;
    await runStatements(
      postgresUrl,
      `alter database ${database} with allow_connections false`,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`,
    );
    return async () =>
      void (await runStatements(postgresUrl, `alter database ${database} with allow_connections true`));
  };
  try {
    await start(groups);
  } catch (error) {
    await stop();
    throw error;
  }
  return { partnerUrl, serviceUrl, authUrl, kill, breakPaymentPages, blockDatabase, stop };
}

function startProcess(group: string, name: string, settings: NodeJS.ProcessEnv): Promise<ChildProcess> {
  mkdirSync("test-results/logs", { recursive: true });
  const logFile = `test-results/logs/${name}-${group}.log`;
  // Writes straight to its log, so that this process doesn't copy the output.
  const output = openSync(logFile, "a");
  const child = spawn(process.execPath, ["scripts/run.mjs", "server.ts"], {
    env: { ...settings, ROLES: group },
    stdio: ["ignore", output, output, "ipc"],
  });
  closeSync(output);
  return new Promise((resolve, reject) => {
    child.once("message", () => resolve(child));
    child.once("exit", (code) => reject(new Error(`The role ${group} exited with ${code}; see ${logFile}.`)));
  });
}

function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.removeAllListeners("exit");
    child.once("exit", () => resolve());
    child.kill(signal);
  });
}

/** The database's address, for its owner or for a role that owns nothing. */
async function createPartnerDatabase(postgresUrl: string, stack: string, asGrantedRole: boolean): Promise<string> {
  const url = await createDatabase(postgresUrl, stack, "partner");
  if (!asGrantedRole) return url;
  const role = `${stack}_harbor`;
  const grants = readFileSync("deploy/harbor-grants.sql", "utf8").replaceAll(':"role"', role);
  const ofSandbox = `grant update on clock to ${role}; grant insert on inspector_entries to ${role}`;
  await runStatements(url, `create role ${role} login password '${role}'`, grants, ofSandbox);
  return Object.assign(new URL(url), { username: role, password: role }).href;
}

/** A new database for an app, copied from one that is migrated once per cluster. */
export async function createDatabase(postgresUrl: string, stack: string, app: App): Promise<string> {
  const [name, template] = [`${stack}_${app}`, `template_of_${app}`];
  const urlOf = (database: string) => Object.assign(new URL(postgresUrl), { pathname: `/${database}` }).href;
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    // Stacks of other processes may do this at the same time. Closing the connection releases the lock.
    await client.query("select pg_advisory_lock(hashtext($1))", [template]);
    const { rowCount } = await client.query("select from pg_database where datname = $1", [template]);
    if (rowCount === 0) {
      await client.query(`create database ${template}`);
      await migrateDatabase(urlOf(template), `lib/${app}/storage/migrations`);
    }
    await client.query(`create database ${name} template ${template}`);
  } finally {
    await client.end();
  }
  return urlOf(name);
}
