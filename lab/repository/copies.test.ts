import { execFile } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startFakeServer } from "../../lib/kit/testing/fake-server.ts";
import { emitClient } from "../../package/emit-client.ts";

// The guarantee: who copies what a README says, and installs what it names, has something that compiles and runs.

const run = promisify(execFile);
const timeoutMs = 180_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gangway-copy-"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test(
  "gangway/client runs with zod alone, and its types suffice",
  async () => {
    const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as { exports: object };
    const gangway = join(folder, "node_modules/gangway");
    emitClient(join(gangway, "dist/client"));
    writeFileSync(join(gangway, "package.json"), JSON.stringify({ name: "gangway", type: "module", exports }));
    install("zod", "@types/node", "undici-types");

    const service = await startFakeServer();
    service.answer((_request, response) => response.writeHead(404, { "content-type": "application/json" }).end("{}"));
    writeFileSync(
      join(folder, "main.ts"),
      `import { createClient, createTokenKeeper, type TokenStore, verifyWebhook } from "gangway/client";
      const client = createClient({ baseUrl: "${service.url}/bank", clientId: "a", clientSecret: "b", provider: "c" });
      const store: TokenStore = {
        read: async () => ({ accessToken: "token", refreshToken: "r", accessTokenSeconds: 7200, refreshTokenSeconds: 864000 }),
        write: async () => {},
        remove: async () => {},
        exclusively: (_userId, work) => work(),
      };
      const answer = await createTokenKeeper({ client, store }).call("user", client.readUser);
      const status: number | undefined = answer.kind === "refused" ? answer.status : undefined;
      // @ts-expect-error A status is no text.
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
  "the integration compiles by itself, and imports the packages that its README names and no others",
  async () => {
    const markdown = readFileSync("lib/partner/README.md", "utf8");
    const line = /^- Packages: (.*?),? in the versions/m.exec(markdown)?.[1] ?? "";
    const named = [...line.matchAll(/`(.+?)`/g)].map(([, name = ""]) => name);
    for (const path of ["lib/partner", "lib/client", "lib/contract", "lib/kit", "brand/name.ts"]) copy(path);
    expect(packagesOf(globSync(join(folder, "lib/**/*.ts")))).toEqual(named.sort());
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    cpSync("tsconfig.json", join(folder, "tsconfig.json"));
    writeFileSync(
      join(folder, "package.json"),
      '{ "type": "module", "imports": { "#client": "./lib/client/index.ts" } }',
    );
    expect(await compile()).toBe("");
  },
  timeoutMs,
);

/** Copies a file, or a folder without its tests and their helpers, to the same place. */
function copy(path: string): void {
  const filter = (source: string) => !/\.test\.ts$|(?:^|\/)testing$/.test(source);
  cpSync(path, join(folder, path), { recursive: true, filter });
}

function install(...packages: string[]): void {
  for (const name of packages) {
    const place = join(folder, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    cpSync(join("node_modules", name), place, { recursive: true });
  }
}

/** What the compiler has to say; nothing when all is well. */
async function compile(): Promise<string> {
  const compiler = resolve("node_modules/typescript/bin/tsc");
  return run(process.execPath, [compiler, "-p", folder]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout || "The compiler failed.",
  );
}

/** The npm packages that files import, by name. */
function packagesOf(files: string[]): string[] {
  const names = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/from "((?:@[^/"]+\/)?[^./"][^/"]*)/g)].map(([, name = ""]) => name),
  );
  return [...new Set(names)].filter((name) => !/^(?:node:|#)/.test(name)).sort();
}
