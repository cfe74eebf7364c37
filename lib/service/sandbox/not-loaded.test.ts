import { expect, test } from "vitest";
import { modulesOf, productionSettings } from "../testing/loaded-modules.ts";

// Production loads no sandbox modules (Decision D16). The sandbox start shows that the check would find them.
test("a production process loads no sandbox modules, and a sandbox does", async () => {
  const production = await modulesOf("service-api", productionSettings());
  expect(production.some((path) => path.endsWith("lib/service/http/app.ts"))).toBe(true);
  expect(production.filter(isOfSandbox)).toEqual([]);

  const worker = await modulesOf("service-worker", productionSettings());
  expect(worker.some((path) => path.endsWith("lib/service/workers/start-workers.ts"))).toBe(true);
  expect(worker.filter(isOfSandbox)).toEqual([]);

  const sandbox = await modulesOf("service-api", {});
  expect(sandbox.filter(isOfSandbox).length).toBeGreaterThan(20);
});

function isOfSandbox(path: string): boolean {
  return /\/lib\/service\/(.*\/)?sandbox\//.test(path);
}
