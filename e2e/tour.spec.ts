import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { type RunningDemo, startDemo } from "./running-demo.ts";
import { commandsOfTour, takeTour, tourFile } from "./tour.ts";

let demo: RunningDemo;
let folder: string;
test.use({ viewport: { width: 1120, height: 760 } });
test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tour-"));
  demo = await startDemo();
});
test.afterAll(async () => {
  await demo.stop();
  rmSync(folder, { recursive: true });
});

test("the tour runs as written, with its own commands and every pictured page", async ({ page }) => {
  const seen: string[] = [];
  const see = async (_: unknown, name: string) => void seen.push(`images/tour-${name}.webp`);
  await takeTour({ page, demo, see, folder });
  const tour = readFileSync(tourFile, "utf8");
  expect([...tour.matchAll(/\]\((images\/[^)]+)\)/g)].map(([, file]) => file)).toEqual(seen);
  // The first starts the demo; the tour ran the others.
  expect(commandsOfTour().map((command) => /npm run \w+|curl/.exec(command)?.[0])).toEqual([
    "npm run demo",
    "npm run checks",
  ]);
});
