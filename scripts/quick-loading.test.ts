import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

// Every command gets this module's savings in each start after the first.
const typeStripper = "NativeModule internal/deps/amaro/dist/index";

/** The output of a TypeScript file about its own process, started by npm. */
function run(program: string) {
  const preload = `data:text/javascript,${encodeURIComponent(`process.on("exit", () => console.log(JSON.stringify(${program})))`)}`;
  const parameters = ["--import", preload, "scripts/run.mjs", "lib/service/storage/schema.ts"];
  const { stdout, stderr } = spawnSync(process.execPath, parameters, { encoding: "utf8" });
  return JSON.parse(stdout || `"${stderr}"`);
}

test("from the second start on, no types are stripped", () => {
  const hasStripper = `process.moduleLoadList.includes("${typeStripper}")`;
  run(hasStripper);
  expect(run(hasStripper)).toBe(false);
});

test("Drizzle takes little memory in a process that loads the tables", () => {
  // Not the peak, which a process inherits from its parent.
  const bytes = run("process.memoryUsage().rss");
  expect(bytes).toBeLessThan(130e6);
});

test("the package's command and the npm scripts load quickly", () => {
  expect(readFileSync("package/plainbook.mjs", "utf8")).toContain('import("../scripts/quick-loading.mjs")');
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  for (const name of ["start", "demo", "service", "migrate"]) expect(scripts[name]).toContain("scripts/run.mjs");
});
