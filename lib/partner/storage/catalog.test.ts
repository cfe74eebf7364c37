import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startPartnerApp } from "../../../server/partner-app.ts";
import { catalogFile, readCatalog } from "../../kit/database-catalog.ts";
import { partner } from "../process-partner.ts";

test("the committed catalog matches the migrations; otherwise run `npm run migrations:catalog`", async () => {
  const committed = readFileSync(catalogFile("lib/partner/storage/migrations"), "utf8");
  expect(`${(await readCatalog(partner().pool)).join("\n")}\n`).toBe(committed);
});

test("a database that has lost a primary key is refused at the start", async () => {
  await partner().pool.query("alter table sessions drop constraint sessions_pkey");
  await expect(startPartnerApp(new Set(["partner"]))).rejects.toThrow(
    "constraint sessions_pkey of sessions is missing",
  );
});
