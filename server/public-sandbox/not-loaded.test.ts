import "./testing/harbor-database.ts";
import { expect, test } from "vitest";
import { modulesOf } from "../../lib/service/testing/loaded-modules.ts";

// Only `npm run demo -- --public-url` loads it (scripts/public-demo.ts).
test("a process of both apps doesn't load the public sandbox", async () => {
  const loaded = await modulesOf("service-api,partner-worker", {});
  const folderOf = (path: string) => loaded.filter((module) => module.includes(`/${path}`));
  expect(folderOf("server/partner-app.ts")).toHaveLength(1);
  expect(folderOf("lib/service/sandbox/plug.ts")).toHaveLength(1);
  expect(folderOf("server/public-sandbox/")).toEqual([]);
});
