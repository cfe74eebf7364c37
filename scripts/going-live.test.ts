import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { partnerEnvironment } from "../lib/partner/config.ts";

// The guarantee: docs/going-live.md leaves out no setting of Harbor, and none of the decisions that a partner relies on.
const page = readFileSync("docs/going-live.md", "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| Not published"));

test("each of Harbor's settings is named", () => {
  const missing = Object.keys(partnerEnvironment.shape).filter(
    (name) => !page.includes(`\`${name}\``) && !page.includes(`\`${name}=`),
  );
  expect(missing).toEqual([]);
});

test("each setting that is named exists", () => {
  const example = readFileSync(".env.example", "utf8");
  const named = new Set(page.match(/\bPARTNER_[A-Z_]+\b/g));
  expect([...named].filter((name) => !example.includes(`${name}=`) && !(name in partnerEnvironment.shape))).toEqual([]);
});

test("each decision about the wire that Harbor meets has a row", () => {
  const decided = new Set(rows.flatMap((row) => row.split("|")[1]?.match(/\bD\d+\b/g) ?? []));
  expect(
    ["D1", "D2", "D5", "D6", "D7", "D9", "D10", "D11", "D12", "D13", "D14", "D17", "D18"].filter(
      (id) => !decided.has(id),
    ),
  ).toEqual([]);
});

test("each row says what was decided, what happens otherwise, what to ask and where to change it", () => {
  expect(rows.length).toBeGreaterThan(35);
  const cells = rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  expect(cells.filter((row) => row.length !== 4 || row.includes(""))).toEqual([]);
});
