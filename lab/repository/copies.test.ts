import { execFile } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startFakeServer } from "../../lib/kit/testing/fake-server.ts";

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
  "the service client compiles by itself, and calls a service",
  async () => {
    const markdown = readFileSync("lib/partner/service-client/README.md", "utf8");
    const section = /## Take it along\n(.*?)\n## /s.exec(markdown)?.[1] ?? "";
    for (const [, path = ""] of section.matchAll(/^- `(.+?)`/gm)) copy(path);
    install("zod", "@types/node", "undici-types");
    writeFileSync(join(folder, "tsconfig.json"), /```json\n(.*?)```/s.exec(section)?.[1] ?? "");
    expect(await compile()).toBe("");

    const service = await startFakeServer();
    service.answer((_request, response) => response.writeHead(404, { "content-type": "application/json" }).end("{}"));
    writeFileSync(
      join(folder, "main.js"),
      `import { createServiceClient } from "./dist/partner/service-client/create-service-client.js";
      const client = createServiceClient({ baseUrl: "${service.url}/bank", clientId: "a", clientSecret: "b", provider: "c" });
      console.log(JSON.stringify(await client.readUser("token")));`,
    );
    const { stdout } = await run(process.execPath, ["main.js"], { cwd: folder });
    await service.stop();
    expect(JSON.parse(stdout)).toMatchObject({ kind: "refused", status: 404 });
    expect(service.requests.map(({ path }) => path)).toEqual(["/bank/v1/user"]);
  },
  timeoutMs,
);

test(
  "the integration compiles by itself, and imports the packages that its README names and no others",
  async () => {
    const markdown = readFileSync("lib/partner/README.md", "utf8");
    const line = /^- Packages: (.*?),? in the versions/m.exec(markdown)?.[1] ?? "";
    const named = [...line.matchAll(/`(.+?)`/g)].map(([, name = ""]) => name);
    for (const path of ["lib/partner", "lib/contract", "lib/kit", "brand/name.ts"]) copy(path);
    expect(packagesOf(globSync(join(folder, "lib/**/*.ts")))).toEqual(named.sort());
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    cpSync("tsconfig.json", join(folder, "tsconfig.json"));
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
  return [...new Set(names)].filter((name) => !name.startsWith("node:")).sort();
}
