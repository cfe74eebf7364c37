import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

// Compares each list in docs/changing.md with the code, using its example.

const recipes = readRecipes(readFileSync("docs/changing.md", "utf8"));

test("every listed file contains its example", () => {
  expect(recipes.map(({ rows }) => rows.length >= 3)).toEqual([true, true, true, true, true]);
  const missing = recipes.flatMap(({ rows }) =>
    rows.flatMap(({ file, words }) =>
      words.filter((word) => !holdsWord(file, word)).map((word) => `${file} has no ${word}`),
    ),
  );
  expect(missing).toEqual([]);
});

test.each([
  ["Add a field to the user intent", "postal_code"],
  ["Add a type of webhook", "routine_updated"],
])("%s: the list has exactly the shipped files with the example", (title, word) => {
  const listed = recipes.find((recipe) => recipe.title === title)?.rows.map(({ file }) => file);
  const found = globSync("{app,components,lib,server}/**/*.{ts,tsx,json}").filter(
    (file) => !/\.test\.ts$|\/testing\/|\/migrations\//.test(file) && holdsWord(file, word),
  );
  expect(listed?.sort()).toEqual(found.sort());
});

test("Add a route to the API: no other service file contains the example", () => {
  const listed = recipes.at(-1)?.rows.map(({ file }) => file);
  const holders = globSync("lib/service/{http/api,http/frame,operations,storage,domain}/**/*.ts").filter(
    (file) =>
      !file.endsWith(".test.ts") &&
      ["getTransfer", "readTransfer", "findTransfer"].some((word) => holdsWord(file, word)),
  );
  expect(holders.filter((file) => !listed?.includes(file))).toEqual([]);
});

type Recipe = { title: string; rows: { file: string; words: string[] }[] };

/** The document's sections with their table rows. */
function readRecipes(markdown: string): Recipe[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf("\n")),
      rows: [...section.matchAll(/^\| `([^`]+)` \| (.+?) \|/gm)].map(([, file = "", words = ""]) => ({
        file,
        words: [...words.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word),
      })),
    }));
}

function holdsWord(file: string, word: string): boolean {
  return new RegExp(`\\b${word}\\b`).test(readFileSync(file, "utf8"));
}
