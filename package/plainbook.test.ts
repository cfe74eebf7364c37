import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

// On an outdated Node.js the command says so, before it loads anything that such a version can't parse.
const { dependencies, engines } = JSON.parse(readFileSync("package.json", "utf8")) as {
  dependencies: Record<string, string>;
  engines: { node: string };
};
const source = readFileSync("scripts/node-version.mjs", "utf8");
const needed = /oldestNode = \[(\d+), (\d+)\]/.exec(source)?.slice(1).map(Number) ?? [];

test("requires the lowest Node.js version that every runtime dependency accepts", () => {
  const requested = Object.keys(dependencies).map((name) => {
    const { engines } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")) as {
      engines?: { node?: string };
    };
    const [, major = 0, minor = 0] = /^>=\s*(\d+)(?:\.(\d+))?/.exec(engines?.node ?? "") ?? [];
    return [Number(major), Number(minor)] as const;
  });
  const highest = requested.toSorted(([a, b], [c, d]) => a - c || b - d).at(-1);
  expect(needed).toEqual(highest);
  expect(engines.node).toBe(`>=${needed.join(".")}`);
});

function startWith(version: string, ...file: string[]) {
  const pretend = `Object.defineProperty(process, "version", { value: "${version}" });
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version.slice(1)}" } });`;
  const preload = `data:text/javascript,${encodeURIComponent(pretend)}`;
  return spawnSync(process.execPath, ["--import", preload, ...file], { encoding: "utf8" });
}

test.each(["v20.20.2", "v22.18.0"])("%s is refused in one sentence that says how to upgrade", (version) => {
  const { status, stderr, stdout } = startWith(version, "package/plainbook.mjs");
  expect(status).toBe(1);
  expect(stdout).toBe("");
  expect(stderr).toBe(
    `Plainbook needs Node.js ${needed.join(".")} or later, but this is ${version}: use a newer one, or give this project ` +
      "one for its npm commands, by `npm install --save-dev node@24`.\n",
  );
});

test("the repository's commands refuse the same versions, and no newer one", () => {
  const refused = startWith("v22.18.0", "scripts/run.mjs", "scripts/client.ts", "--help");
  expect([refused.status, refused.stdout]).toEqual([1, ""]);
  expect(refused.stderr).toMatch(/^Gangway needs Node\.js 24, .* but this is v22\.18\.0: /);
  expect(startWith("v22.19.0", "scripts/run.mjs", "scripts/client.ts", "--help")).toMatchObject({
    status: 0,
    stderr: "",
  });
});
