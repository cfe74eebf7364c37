import { execFile } from "node:child_process";
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startFakeServer } from "../../lib/kit/testing/fake-server.ts";
import { emitClient } from "../../package/emit-client.ts";

// Everything a README says to install or copy compiles and runs.

const run = promisify(execFile);
const timeoutMs = 240_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gangway-copy-"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test(
  "@gangway/client installs offline with zod as its only dependency, compiles, and makes a call",
  async () => {
    const dependencies = {
      "@gangway/client": `file:${await packClient()}`,
      zod: `file:${resolve("node_modules/zod")}`,
    };
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", dependencies }));
    await run("npm", ["install", "--offline", "--no-audit", "--no-fund"], { cwd: folder });
    const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as {
      packages: Record<string, { dependencies?: object }>;
    };
    const installed = Object.keys(packages).filter((path) => path.startsWith("node_modules/"));
    expect(installed.sort()).toEqual(["node_modules/@gangway/client", "node_modules/zod"]);
    expect(packages["node_modules/@gangway/client"]?.dependencies).toEqual({ zod: expect.stringMatching(/^\^4\./) });
    for (const name of ["@types/node", "undici-types"]) install(name);

    const service = await startFakeServer();
    service.answer((_request, response) => response.writeHead(404, { "content-type": "application/json" }).end("{}"));
    writeFileSync(
      join(folder, "main.ts"),
      `import { createClient, createTokenKeeper, type TokenStore, verifyWebhook } from "@gangway/client";
      const client = createClient({ baseUrl: "${service.url}/bank", clientId: "a", clientSecret: "b", provider: "c" });
      const store: TokenStore = {
        read: async () => ({ accessToken: "token", refreshToken: "r", accessTokenSeconds: 7200, refreshTokenSeconds: 864000 }),
        write: async () => {},
        remove: async () => {},
        exclusively: (_userId, work) => work(),
      };
      const answer = await createTokenKeeper({ client, store }).call("user", client.readUser);
      const status: number | undefined = answer.kind === "refused" ? answer.status : undefined;
      // @ts-expect-error A status isn't a string.
      const text: string = status;
      const webhook = verifyWebhook("{}", new Headers(), { secrets: ["whsec_c2VjcmV0"] });
      console.log(JSON.stringify({ text, webhook: webhook.kind }));`,
    );
    const options = { target: "ES2024", module: "nodenext", strict: true, types: ["node"], outDir: "out" };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["main.ts"] }));
    expect(await compile()).toBe("");
    const { stdout } = await run(process.execPath, ["out/main.js"], { cwd: folder });
    await service.stop();
    expect(JSON.parse(stdout)).toEqual({ text: 404, webhook: "not_genuine" });
    expect(service.requests.map(({ path }) => path)).toEqual(["/bank/v1/user"]);
  },
  timeoutMs,
);

test("the client has fewer than 1,800 lines", () => {
  const files = globSync("lib/client/*.ts").filter((file) => !file.endsWith(".test.ts"));
  const lines = files.reduce((sum, file) => sum + readFileSync(file, "utf8").split("\n").length - 1, 0);
  expect(lines).toBeLessThan(1800);
});

test(
  "Harbor without the parts that its README calls optional compiles, imports the packages it names, and pays a seller",
  async () => {
    const markdown = readFileSync("lib/partner/README.md", "utf8");
    for (const path of ["lib/partner", "lib/contract", "lib/kit", "brand/name.ts"]) copy(path);
    const leftOut = namesIn(/^Leave out (.*?):/m.exec(markdown)?.[1]);
    expect(leftOut).toEqual(["sandbox/", "inspector/"]);
    for (const path of leftOut) rmSync(join(folder, "lib/partner", path), { recursive: true });

    const named = namesIn(/^- Packages: (.*?),? in the versions/m.exec(markdown)?.[1]);
    expect(packagesOf(globSync(join(folder, "lib/**/*.ts")))).toEqual(named.sort());
    const imports = namesIn(/^.*In your `package\.json`: (.*?)\.$/m.exec(markdown)?.[1])[0] ?? "";
    writeFileSync(join(folder, "package.json"), `{ "type": "module", ${imports} }`);
    for (const name of readdirSync("node_modules")) link(name);
    emitClient(join(folder, "node_modules/@gangway/client"));
    cpSync("tsconfig.json", join(folder, "tsconfig.json"));
    expect(await compile()).toBe("");

    // Test helpers for the journey, added after compiling because they aren't part of a copy.
    for (const path of ["lib/partner/testing", "lib/kit/testing"])
      cpSync(path, join(folder, path), { recursive: true });
    writeFileSync(
      join(folder, "journey.ts"),
      `import { startFakeService } from "./lib/partner/testing/fake-service.ts";
      import { runPaymentJourney } from "./lib/partner/testing/payment-journey.ts";
      import { moneyPaid, serveWhole } from "./lib/partner/testing/whole-service.ts";
      const service = serveWhole(await startFakeService());
      await runPaymentJourney(service);
      console.log(moneyPaid(service));
      process.exit(0);`,
    );
    const { stdout } = await run(process.execPath, ["journey.ts"], { cwd: folder, env: process.env });
    expect(Number(stdout)).toBeGreaterThan(0);
  },
  timeoutMs,
);

/** Copies a file, or a folder without tests and test helpers, to the same path. */
function copy(path: string): void {
  const filter = (source: string) => !/\.test\.ts$|(?:^|\/)testing$/.test(source);
  cpSync(path, join(folder, path), { recursive: true, filter });
}

/** What `npm publish` would upload. */
async function packClient(): Promise<string> {
  const target = join(folder, "packed");
  emitClient(target);
  const { stdout } = await run("npm", ["pack", "--offline", "--silent"], { cwd: target });
  return join(target, stdout.trim());
}

function install(name: string): void {
  const index = join(folder, "node_modules", name);
  mkdirSync(dirname(index), { recursive: true });
  cpSync(join("node_modules", name), index, { recursive: true });
}

function link(name: string): void {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(resolve("node_modules", name), join(folder, "node_modules", name));
}

/** The compiler's errors; empty on success. */
async function compile(): Promise<string> {
  const compiler = resolve("node_modules/typescript/bin/tsc");
  return run(process.execPath, [compiler, "-p", folder]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout || "The compiler failed.",
  );
}

function namesIn(sentence = ""): string[] {
  return [...sentence.matchAll(/`(.+?)`/g)].map(([, name = ""]) => name);
}

/** The npm packages imported by files. */
function packagesOf(files: string[]): string[] {
  const names = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/from "((?:@[^/"]+\/)?[^./"][^/"]*)/g)].map(([, name = ""]) => name),
  );
  return [...new Set(names)].filter((name) => !/^(?:node:|#)/.test(name)).sort();
}
