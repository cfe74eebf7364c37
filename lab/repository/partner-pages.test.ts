import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

// Every page of Harbor requires a role, except those in this list.
const open = [
  "app/(partner)/page.tsx",
  "app/(partner)/callback/problem/page.tsx",
  "app/(partner)/sign-in/page.tsx",
  "app/(partner)/sign-in/code/page.tsx",
  "app/(partner)/sign-up/page.tsx",
];

/** Whether a page requires a role before it reads anything except its parameters. */
function requiresRole(source: string): boolean {
  const [, body = ""] = source.split(/export default async function \w+\([^)]*\) \{/);
  return /^\s*(?:const [^=;]* = await (?:params|searchParams);\s*)*(?:const [^=]* = )?await requirePerson\(\{ role: "(?:seller|operator)", returnTo: /.test(
    body,
  );
}

test("every non-public Harbor page requires a role first", () => {
  const pages = globSync("app/(partner)/**/page.tsx").sort();
  expect(pages.filter((file) => !requiresRole(readFileSync(file, "utf8")))).toEqual([...open].sort());
});

test.each([
  ["no role", "export default async function Page() {\n  const person = await requirePerson();\n}"],
  ["no one", "export default async function Page() {\n  return null;\n}"],
  [
    "a role too late",
    'export default async function Page() {\n  await readAll();\n  await requirePerson({ role: "seller", returnTo: "/" });\n}',
  ],
])("finds a page with %s", (_what, source) => {
  expect(requiresRole(source)).toBe(false);
});
