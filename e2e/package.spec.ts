import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, test } from "@playwright/test";
import { findProgram } from "../scripts/debian-packages.ts";
import { freePort } from "../scripts/embedded-postgres.ts";
import { checkPage } from "./check-page.ts";
import { type RunningCommand, startCommand } from "./running-service.ts";

// The package from `npm run pack:service` works in an empty project, and so do the examples in docs/service-alone.md.
// Its dependencies come from npm's cache, filled by `npm ci`.

// Shared by all tests, because creating the project takes longer than the tests.
test.describe.configure({ mode: "default" });

const run = promisify(execFile);
type Manifest = { name: string; version: string; dependencies: Record<string, string>; bin: object };
const page = readFileSync("docs/service-alone.md", "utf8");
const tarballBytesMax = 8 * 1024 * 1024;
const installedBytesMax = 250 * 1024 * 1024;

let project: string;
let running: RunningCommand | undefined;
test.beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), "gangway-package-"));
  // Readable by the database's user; its data would otherwise go to /var/tmp.
  chmodSync(project, 0o755);
  const env = { ...process.env, NEXT_DIST_DIR: ".next-test" };
  await run(process.execPath, ["scripts/run.mjs", "package/pack.ts"], { env });
  await npm(["pack", "--pack-destination", project, resolve("dist/service")], { cwd: "." });
  const manifest = JSON.parse(readFileSync("dist/service/package.json", "utf8")) as Manifest;
  const tarball = join(project, `${manifest.name}-${manifest.version}.tgz`);
  expect(statSync(tarball).size, "the size of the tarball").toBeLessThan(tarballBytesMax);
  writeProject(manifest, tarball);
  await npm(["ci", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: project });
  expect(sizeOf(join(project, "node_modules")), "installed size").toBeLessThan(installedBytesMax);
  expect(existsSync(join(project, "node_modules", manifest.name, "lib/partner")), "Harbor isn't in the package").toBe(
    false,
  );
});
test.afterEach(async () => {
  running?.child.kill("SIGTERM");
  await running?.ended;
  running = undefined;
});
test.afterAll(() => rmSync(project, { recursive: true, force: true }));

test("the quickstart goes from npx to a person's tokens, through the authorization page in a browser", async ({
  page: browser,
}) => {
  const back = createServer((_request, response) => response.end("back at the app"));
  const backPort = await freePort();
  await new Promise<void>((done) => back.listen(backPort, "127.0.0.1", done));
  const redirectUri = `http://127.0.0.1:${backPort}/back`;
  const { base_url: baseUrl = "" } = await startByNpx("--redirect-uri", redirectUri, "--client-name", "The Shop");

  await browser.goto(baseUrl);
  await checkPage(browser, "service-alone-front");
  const commands = await browser.locator("li code").allTextContents();
  const steps = commands.filter((text) => /curl|^echo/.test(text));
  expect(steps).toHaveLength(7);
  const [register = "", read = "", authorize = "", exchange = "", user = "", webhooks = ""] = steps;
  const { stdout } = await run("bash", ["-c", `${register}\necho "$INTENT"`]);
  const INTENT = stdout.trim().split("\n").at(-1) ?? "";
  await expect.poll(async () => (await runForJson(read, { INTENT })).status).toBe("approved");

  const printed = (await run("bash", ["-c", authorize], { env: { ...process.env, INTENT } })).stdout.trim();
  await browser.goto(printed.split("\n").at(-1) ?? "");
  await expect(browser.getByText("The Shop").first()).toBeVisible();
  await checkPage(browser, "service-alone-consent");
  await browser.getByRole("button", { name: "Authorize" }).click();
  await expect(browser.getByText("back at the app")).toBeVisible();
  back.close();

  const code = new URL(browser.url()).searchParams.get("code") ?? "";
  const { access_token: TOKEN } = await runForJson(exchange.replace("the-code-from-the-address", code), {});
  expect(await runForJson(user, { TOKEN: TOKEN ?? "" })).toMatchObject({ status: "approved", user_type: "personal" });
  expect(JSON.stringify(await runForJson(webhooks, {}))).toContain(INTENT);

  running?.child.kill("SIGTERM");
  await running?.ended;
  expect(existsSync(join(project, ".data/service/data/postmaster.pid")), "SIGTERM stops PostgreSQL too").toBe(false);
});

test("the curl example prints an approved person, and npx runs the checks and drills", async () => {
  // A separate folder, because the previous process may still be stopping.
  const { base_url: BASE_URL = "" } = await startByNpx("--data=second");
  expect(await runForJson(example("sh curl"), { BASE_URL })).toMatchObject({ status: "approved" });

  const credentials = ["--client-id=demo-client", "--client-secret=demo-client-secret-of-demo-client"];
  const plainbook = async (...words: string[]) => {
    const npx = [
      npmProgram(),
      "exec",
      "--offline",
      "--",
      "plainbook",
      ...words,
      `--base-url=${BASE_URL}`,
      ...credentials,
    ];
    return (await run(process.execPath, npx, { cwd: project })).stdout;
  };
  expect(await plainbook("checks")).toMatch(/^demo-client: \d+ kept, 0 broken/);
  expect(await plainbook("drills")).toContain("ordinary-day");
  expect(await plainbook("--help")).toContain("`plainbook drills`");
});

test("an assistant's client reads the sandbox through npx plainbook mcp", async () => {
  const { base_url: BASE_URL = "" } = await startByNpx("--data=third");
  const client = new Client({ name: "test", version: "1" });
  const options = [
    `--base-url=${BASE_URL}`,
    "--client-id=demo-client",
    "--client-secret=demo-client-secret-of-demo-client",
  ];
  const args = [npmProgram(), "exec", "--offline", "--", "plainbook", "mcp", ...options];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: project }));
  try {
    const { content } = await client.callTool({ name: "list_drills", arguments: {} });
    expect(JSON.stringify(content)).toContain("ordinary-day");
    const advanced = await client.callTool({ name: "advance_clock", arguments: { seconds: 60 } });
    expect(advanced.isError, JSON.stringify(advanced.content)).toBeFalsy();
  } finally {
    await client.close();
  }
});

test("the example with Vitest compiles and passes", async () => {
  writeFileSync(join(project, "example.test.ts"), example("ts vitest"));
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        module: "nodenext",
        target: "es2024",
        types: [],
        skipLibCheck: true,
      },
      files: ["example.test.ts"],
    }),
  );
  // A real project has its own.
  symlinkSync(resolve("node_modules/vitest"), join(project, "node_modules/vitest"));
  const options = { cwd: project, env: cleanEnv() };
  await run(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", "."], options);
  const { stdout } = await run(process.execPath, ["node_modules/vitest/vitest.mjs", "run"], options);
  expect(stdout).toContain("1 passed");
});

test("the examples with node:test, pytest and JUnit pass, each with its own database", async () => {
  const env = cleanEnv();
  writeFileSync(join(project, "node.test.mjs"), nodeTest);
  expect((await run(process.execPath, ["--test", "node.test.mjs"], { cwd: project, env })).stdout).toContain("pass 1");

  writeFileSync(join(project, "test_shop.py"), example("py pytest"));
  const pytest = findProgram("pytest-3");
  if (pytest) expect((await run(pytest, ["-q", "test_shop.py"], { cwd: project, env })).stdout).toContain("1 passed");

  writeFileSync(join(project, "ShopTest.java"), example("java junit"));
  const console = findProgram("/usr/share/java/junit-platform-console-standalone.jar");
  if (!console) return;
  const jars = ["junit-jupiter-api", "junit-jupiter-engine", "junit-platform-console", "junit-platform-launcher"];
  const more = ["junit-platform-reporting", "junit-platform-engine", "junit-platform-commons", "opentest4j", "picocli"];
  const needed = [...jars, ...more, "opentest4j-reporting-events", "apiguardian-api", "univocity-parsers", "gson"];
  const classpath = [".", ...needed.map((name) => `/usr/share/java/${name}.jar`)].join(":");
  await run("javac", ["-cp", classpath, "ShopTest.java"], { cwd: project, env });
  const java = ["-cp", classpath, "org.junit.platform.console.ConsoleLauncher", "-c", "ShopTest"];
  expect((await run("java", java, { cwd: project, env })).stdout).toContain("1 tests successful");
  expect(readdirSync(join(project, "node_modules/gangway/.data/memory")), "no data is left").toEqual([]);
});

// Shorter than the page's Vitest example; only the import has to be the same.
const nodeTest = `import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startService } from "gangway/testing";

let service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

test("has a business", () => assert.match(service.credentials.businessUserPhone, /^\\+1/));
`;

/** Creates an empty project with the tarball and the packages it needs. */
function writeProject({ name, version, dependencies, bin }: Manifest, tarball: string): void {
  const root = { name: "an-app", dependencies: { [name]: `file:${tarball}` } };
  const lock = {
    ...{ name: root.name, lockfileVersion: 3, requires: true },
    packages: {
      "": root,
      [`node_modules/${name}`]: {
        version,
        resolved: `file:${tarball}`,
        dependencies,
        bin,
        bundleDependencies: ["next"],
      },
      [`node_modules/${name}/node_modules/next`]: { version: dependencies["next"], inBundle: true },
      ...listNeeded(Object.keys(dependencies)),
    },
  };
  writeFileSync(join(project, "package.json"), JSON.stringify({ ...root, private: true, type: "module" }));
  writeFileSync(join(project, "package-lock.json"), JSON.stringify(lock));
}

type LockedPackage = {
  [kind in "dependencies" | "optionalDependencies" | "peerDependencies"]?: Record<string, string>;
};

/** These packages except the bundled one, and their dependencies, as locked in our lock file. */
function listNeeded(names: string[]): Record<string, LockedPackage> {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Record<string, LockedPackage>;
  };
  const needed: Record<string, LockedPackage> = {};
  const waiting = names.map((name) => ({ name, from: "" }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { name, from } = next;
    const candidates = [from && `${from}/`, ""].map((folder) => `${folder}node_modules/${name}`);
    const installedAt = candidates.find((path) => packages[path] !== undefined);
    const found = installedAt === undefined ? undefined : packages[installedAt];
    if (name === "next" || !installedAt || !found || needed[installedAt]) continue;
    needed[installedAt] = found;
    const required = { ...found.dependencies, ...found.optionalDependencies, ...found.peerDependencies };
    waiting.push(...Object.keys(required).map((other) => ({ name: other, from: installedAt })));
  }
  return needed;
}

function sizeOf(folder: string): number {
  return globSync("**", { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((bytes, entry) => bytes + statSync(join(entry.parentPath, entry.name)).size, 0);
}

async function startByNpx(...words: string[]): Promise<Record<string, string>> {
  const npx = [npmProgram(), "exec", "--offline", "--", "plainbook", "--port=0", ...words];
  running = startCommand(process.execPath, npx, { cwd: project });
  return running.ready;
}

async function npm(parameters: string[], { cwd }: { cwd: string }): Promise<void> {
  await run(process.execPath, [npmProgram(), ...parameters], { cwd, env: cleanEnv(), maxBuffer: 16 * 1024 * 1024 });
}

/** The npm that runs this test. */
function npmProgram(): string {
  const program = process.env["npm_execpath"];
  if (!program) throw new Error("this test needs npm: run it with `npm test` or `npm run test:e2e`");
  return program;
}

// Variables set by npm and this project must not leak into another project.
function cleanEnv(): NodeJS.ProcessEnv {
  const isOurs = /^(?:npm_|TEST_|NEXT_|PLAYWRIGHT_|INIT_CWD$|NODE_ENV$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOurs.test(name))) as NodeJS.ProcessEnv;
}

async function runForJson(command: string, variables: Record<string, string>): Promise<Record<string, string>> {
  const { stdout } = await run("bash", ["-c", command], { env: { ...process.env, ...variables } });
  return JSON.parse(stdout) as Record<string, string>;
}

function example(kind: string): string {
  return new RegExp(`\`\`\`${kind}\n(.*?)\`\`\``, "s").exec(page)?.[1] ?? "";
}
