import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@playwright/test";
import { freePort } from "../scripts/embedded-postgres.ts";
import { checkPage } from "./check-page.ts";
import { type RunningCommand, startCommand } from "./running-service.ts";

// The result of `npm pack` works in an empty project, and so do the examples in docs/service-alone.md. Packages come from npm's
// cache, filled by `npm ci`.

// Shared by all tests: creating the project is slower than the tests.
test.describe.configure({ mode: "default", timeout: 180_000 });

const run = promisify(execFile);
const own = JSON.parse(readFileSync("package.json", "utf8")) as {
  name: string;
  version: string;
  dependencies: Record<string, string>;
  bin: object;
};
const page = readFileSync("docs/service-alone.md", "utf8");
const bytesMax = 2 * 1024 * 1024;

let project: string;
let running: RunningCommand | undefined;
test.beforeAll(async () => {
  // Unpacking 200 packages is slow under load.
  test.setTimeout(300_000);
  project = mkdtempSync(join(tmpdir(), "gangway-package-"));
  const tarball = join(project, `${own.name}-${own.version}.tgz`);
  await npm(["pack", "--pack-destination", project], { cwd: ".", NEXT_DIST_DIR: ".next-test" });
  expect(statSync(tarball).size, "the size of the tarball").toBeLessThan(bytesMax);
  writeProject(tarball);
  await npm(["ci", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: project });
  expect(existsSync(join(project, "node_modules", own.name, "dist/lib/partner")), "nothing of Harbor").toBe(false);
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
  await expect.poll(async () => (await answerTo(read, { INTENT })).status).toBe("approved");

  const address = (await run("bash", ["-c", authorize], { env: { ...process.env, INTENT } })).stdout.trim();
  await browser.goto(address);
  await expect(browser.getByText("The Shop").first()).toBeVisible();
  await browser.getByRole("button", { name: /^Sandbox phone/ }).click();
  await browser.getByRole("button", { name: /^Enter code \d+/ }).click();
  await checkPage(browser, "service-alone-consent");
  await browser.getByRole("button", { name: "Authorize" }).click();
  await expect(browser.getByText("back at the app")).toBeVisible();
  back.close();

  const code = new URL(browser.url()).searchParams.get("code") ?? "";
  const { access_token: TOKEN } = await answerTo(exchange.replace("the-code-from-the-address", code), {});
  expect(await answerTo(user, { TOKEN: TOKEN ?? "" })).toMatchObject({ status: "approved", user_type: "personal" });
  expect(JSON.stringify(await answerTo(webhooks, {}))).toContain(INTENT);

  running?.child.kill("SIGTERM");
  await running?.ended;
  expect(existsSync(join(project, ".data/service/data/postmaster.pid")), "kill ends PostgreSQL too").toBe(false);
});

test("the example with curl prints an approved person", async () => {
  // A separate folder, because the previous process may still be stopping.
  const { base_url: BASE_URL = "" } = await startByNpx("--data=second");
  expect(await answerTo(example("sh curl"), { BASE_URL })).toMatchObject({ status: "approved" });
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
  // A project brings its own.
  symlinkSync(resolve("node_modules/vitest"), join(project, "node_modules/vitest"));
  const options = { cwd: project, env: withoutOurs() };
  await run(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", "."], options);
  const { stdout } = await run(process.execPath, ["node_modules/vitest/vitest.mjs", "run"], options);
  expect(stdout).toContain("1 passed");
});

/** Creates an empty project with the tarball and the packages it needs. */
function writeProject(tarball: string): void {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const needed = Object.entries(packages).filter(([path, { dev }]) => path !== "" && !dev);
  const root = { name: "an-app", dependencies: { [own.name]: `file:${tarball}` } };
  const { version, dependencies, bin } = own;
  const lock = {
    ...{ name: root.name, lockfileVersion: 3, requires: true },
    packages: {
      "": root,
      [`node_modules/${own.name}`]: { version, resolved: `file:${tarball}`, dependencies, bin },
      ...Object.fromEntries(needed),
    },
  };
  writeFileSync(join(project, "package.json"), JSON.stringify({ ...root, private: true, type: "module" }));
  writeFileSync(join(project, "package-lock.json"), JSON.stringify(lock));
}

async function startByNpx(...words: string[]): Promise<Record<string, string>> {
  const npx = [npmProgram(), "exec", "--offline", "--", "plainbook", "--port=0", ...words];
  running = startCommand(process.execPath, npx, { cwd: project });
  return running.ready;
}

async function npm(parameters: string[], { cwd, ...settings }: { cwd: string; NEXT_DIST_DIR?: string }): Promise<void> {
  const env = { ...withoutOurs(), ...settings };
  await run(process.execPath, [npmProgram(), ...parameters], { cwd, env, maxBuffer: 16 * 1024 * 1024 });
}

/** The npm that started this test. */
function npmProgram(): string {
  const program = process.env["npm_execpath"];
  if (!program) throw new Error("this test needs npm: run it by `npm test` or `npm run test:e2e`");
  return program;
}

// Variables set by npm and this project must not leak into another project.
function withoutOurs(): NodeJS.ProcessEnv {
  const isOurs = /^(?:npm_|TEST_|NEXT_|PLAYWRIGHT_|INIT_CWD$|NODE_ENV$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOurs.test(name))) as NodeJS.ProcessEnv;
}

async function answerTo(command: string, variables: Record<string, string>): Promise<Record<string, string>> {
  const { stdout } = await run("bash", ["-c", command], { env: { ...process.env, ...variables } });
  return JSON.parse(stdout) as Record<string, string>;
}

function example(kind: string): string {
  return new RegExp(`\`\`\`${kind}\n(.*?)\`\`\``, "s").exec(page)?.[1] ?? "";
}
