import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

// The guarantee: a page of Harbor is for somebody in a role, unless it stands in this list. Forgetting to ask fails here.
const open = [
  "app/(partner)/page.tsx",
  "app/(partner)/callback/problem/page.tsx",
  "app/(partner)/sign-in/page.tsx",
  "app/(partner)/sign-in/code/page.tsx",
  "app/(partner)/sign-up/page.tsx",
];

/** Whether a page asks for somebody in a role before anything else but what its address says. */
function asksForARole(source: string): boolean {
  const [, body = ""] = source.split(/export default async function \w+\([^)]*\) \{/);
  return /^\s*(?:const \{[^}]*\} = await params;\s*)?(?:const [^=]* = )?await requirePerson\(\{ role: "(?:seller|operator)", returnTo: /.test(
    body,
  );
}

test("each page of Harbor that is not open to anybody asks for a role first", () => {
  const pages = globSync("app/(partner)/**/page.tsx").sort();
  expect(pages.filter((file) => !asksForARole(readFileSync(file, "utf8")))).toEqual([...open].sort());
});

test.each([
  ["no role", "export default async function Page() {\n  const person = await requirePerson();\n}"],
  ["nobody", "export default async function Page() {\n  return null;\n}"],
  [
    "a role too late",
    'export default async function Page() {\n  await readAll();\n  await requirePerson({ role: "seller", returnTo: "/" });\n}',
  ],
])("a page that asks for %s is found", (_what, source) => {
  expect(asksForARole(source)).toBe(false);
});
