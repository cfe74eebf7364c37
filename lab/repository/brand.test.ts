import { globSync, readFileSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";

// Harbor's name appears only in brand/name.ts, so rebranding needs no search.
const sources = globSync("{app/(partner),components/partner,lib/partner,scripts,server}/**/*.{ts,tsx}").filter(
  (file) => !/\.test\.tsx?$|\/testing\//.test(file),
);

test("texts of the partner app and commands name it only through brand/name.ts", () => {
  expect(sources.length).toBeGreaterThan(150);
  expect(sources.flatMap((file) => textsOf(file, readFileSync(file, "utf8")))).toEqual([]);
});

test("no Harbor file hardcodes the service's name, which is a setting", () => {
  const files = globSync("{app/(partner),components/partner,lib/partner}/**/*.{ts,tsx,css,sql}");
  expect(files.length).toBeGreaterThan(150);
  expect(files.filter((file) => /plainbook/i.test(readFileSync(file, "utf8")))).toEqual([]);
});

test.each([
  'const a = "at Harbor";',
  "const a = `at Harbor`;",
  "const a = <p>Run Harbor</p>;",
  "const a = <A b='Harbor' />;",
])("reports text that names the brand: %s", (text) => expect(textsOf("a.tsx", text)).toHaveLength(1));

test.each(["// Harbor's own", "const harborNow = 1;", 'const key = "harbor_customer_id";'])(
  "ignores comments, identifiers and wire names: %s",
  (text) => expect(textsOf("a.tsx", text)).toEqual([]),
);

test("brand colors appear only in their own file", () => {
  const colors = readFileSync("brand/colors.css", "utf8").match(/#[0-9a-f]{6}/g) ?? [];
  const brandColors = colors.filter((color) => color !== "#ffffff");
  expect(brandColors.length).toBeGreaterThan(30);
  const files = globSync("{app,components,lib,server}/**/*.{ts,tsx,css}").filter((file) => !file.endsWith(".test.ts"));
  const holders = files.filter((file) => brandColors.some((color) => readFileSync(file, "utf8").includes(color)));
  expect(holders).toEqual([]);
});

function textsOf(file: string, text: string): string[] {
  const found: string[] = [];
  if (!text.includes("Harbor")) return found;
  function visit(node: ts.Node): void {
    const isText =
      ts.isStringLiteralLike(node) ||
      ts.isJsxText(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node);
    if (isText && node.text.includes("Harbor")) found.push(`${file}: ${node.text.trim()}`);
    node.forEachChild(visit);
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, ts.ScriptKind.TSX));
  return found;
}
