import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { partnerEnvironment } from "../../lib/partner/config.ts";

// docs/going-live.md covers every setting, decision, and question of Harbor; each question appears once in the email and once in
// the table, in the same order, with the setting for its answer.

const page = readFileSync("docs/going-live.md", "utf8");
const rows = page
  .split("\n")
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const tables = page.split("\n").filter((line) => line.startsWith("| "));
const [, mail = ""] = /```text\n([\s\S]*?)```/.exec(page) ?? [];
const [, block = ""] = /```sh\n([\s\S]*?)```/.exec(page) ?? [];
const settings = Object.keys(partnerEnvironment.shape);

test("every Harbor setting is named", () => {
  expect(settings.filter((name) => !page.includes(`\`${name}\``) && !page.includes(`\`${name}=`))).toEqual([]);
});

test("every named setting exists", () => {
  const example = readFileSync(".env.example", "utf8");
  const named = new Set(page.match(/\bPARTNER_[A-Z_]+\b/g));
  expect([...named].filter((name) => !example.includes(`${name}=`) && !settings.includes(name))).toEqual([]);
});

test("each decision has a row or is listed as irrelevant to Harbor, never both", () => {
  const decisions = [...readFileSync("docs/spec/decisions.md", "utf8").matchAll(/^## (D\d+) /gm)].map(
    ([, id = ""]) => id,
  );
  const inRows = new Set(rows.flatMap(([, decided = ""]) => decided.match(/\bD\d+\b/g) ?? []));
  const [, notMet = ""] = /## Decisions that Harbor never meets\n([\s\S]*)$/.exec(page) ?? [];
  const never: string[] = notMet.match(/\bD\d+\b/g) ?? [];
  expect(decisions.length).toBeGreaterThan(20);
  expect(decisions.filter((id) => !inRows.has(id) && !never.includes(id))).toEqual([]);
  expect(never.filter((id) => inRows.has(id) || !decisions.includes(id))).toEqual([]);
});

test("each row has the decision, the alternative's effect, and where to change it", () => {
  expect(rows.length).toBeGreaterThan(35);
  const heads = tables.filter((line) => line.startsWith("| Question |"));
  expect(tables.length).toBe(rows.length + heads.length);
  expect(rows.filter((cells) => cells.length !== 4 || cells.includes(""))).toEqual([]);
});

test("the place to change is an existing setting or file, or none", () => {
  const wrong = rows.filter(([, , , change = ""]) => {
    const names = [...change.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
    const found = names.filter((name) => settings.includes(name) || (name.includes("/") && existsSync(name)));
    return change !== "none" && found.length === 0;
  });
  expect(wrong).toEqual([]);
});

test("a row's named words exist in its files or settings", () => {
  const named = rows.flatMap(([, , , change = ""]) => [...change.matchAll(/`(\w+)` in `([^`]+)`/g)]);
  expect(named.length).toBeGreaterThan(0);
  const missing = named.filter(([, word = "", name = ""]) => {
    const file = settings.includes(name) ? ".env.example" : name;
    return !readFileSync(file, "utf8").includes(word);
  });
  expect(missing.map(([text]) => text)).toEqual([]);
});

test("the ten blocking questions come first in the email and the tables", () => {
  const blocking = /The first ten block us[^\n]*\n([\s\S]*?)\n\n/.exec(mail)?.[1] ?? "";
  expect(blocking.match(/^ ?\d+\. /gm)).toHaveLength(10);
  const table = /## Blocking questions\n([\s\S]*?)\n## /.exec(page)?.[1] ?? "";
  expect(table.match(/^\| \d+ \|/gm)).toHaveLength(10);
});

test("the email has each question of the tables once, in order", () => {
  const questions = [...mail.matchAll(/^ ?(\d+)\. ([\s\S]*?)(?=\n ?\d+\. |\n\n|(?![\s\S]))/gm)];
  const numbers = rows.map(([number]) => Number(number));
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(questions.map(([, number]) => Number(number))).toEqual(numbers);
  expect(questions.filter(([, , text = ""]) => !/[?.](\n|$)/.test(text)).map(([, number]) => number)).toEqual([]);
});

test("every setting that an answer requires is tested against the bare service", () => {
  const tried = parseEnv(block);
  // Excluded: the customer system's name, secrets, and Harbor's URL in the journey.
  const notSet = ["PARTNER_PROVIDER", "PARTNER_CUSTOMER_ENDPOINT_SECRET", "PARTNER_BASE_URL", "PARTNER_LISTEN"];
  const inRows = rows.flatMap(([, , , change = ""]) => change.match(/\bPARTNER_[A-Z_]+\b/g) ?? []);
  const untried = [...new Set(inRows)].filter((name) => !(name in tried) && !notSet.includes(name));
  expect(untried).toEqual([]);
  expect(Object.keys(tried).filter((name) => !settings.includes(name))).toEqual([]);
});
