import ts from "typescript";

/** One small fault: `text` replaces the source's characters from `start` to `end`. */
export type RandomFault = { kind: string; start: number; end: number; text: string };

const flipped: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.LessThanToken]: "<=",
  [ts.SyntaxKind.LessThanEqualsToken]: "<",
  [ts.SyntaxKind.GreaterThanToken]: ">=",
  [ts.SyntaxKind.GreaterThanEqualsToken]: ">",
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: "!==",
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: "===",
  [ts.SyntaxKind.AmpersandAmpersandToken]: "||",
  [ts.SyntaxKind.BarBarToken]: "&&",
  [ts.SyntaxKind.PlusToken]: "-",
  [ts.SyntaxKind.MinusToken]: "+",
};

/** Every fault known for a source: operators, dropped conditions, statements and awaits, numbers, and SQL. */
export function faultsOf(file: string, source: string): RandomFault[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const faults: RandomFault[] = [];
  const add = (kind: string, { start, end }: { start: number; end: number }, text: string) =>
    faults.push({ kind, start, end, text });
  const spanOf = (node: ts.Node) => ({ start: node.getStart(tree), end: node.end });

  function visit(node: ts.Node): void {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const replacement = flipped[node.operatorToken.kind];
      if (replacement) add("operator", spanOf(node.operatorToken), replacement);
      // An empty string is often only a fallback for the compiler, for an index that always exists.
      if (node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken && node.right.getText(tree) !== '""') {
        add("default dropped", { start: node.left.end, end: node.end }, "");
      }
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      add("negation dropped", { start: node.getStart(tree), end: node.operand.getStart(tree) }, "");
    }
    if (ts.isIfStatement(node)) {
      add("condition dropped", spanOf(node.expression), "true");
      add("branch dropped", spanOf(node.expression), "false");
    }
    if (ts.isConditionalExpression(node)) add("branch dropped", spanOf(node.condition), "false");
    if (ts.isExpressionStatement(node)) {
      const { expression } = node;
      if (ts.isAwaitExpression(expression))
        add("await dropped", spanOf(expression), `void ${expression.expression.getText(tree)}`);
      if (ts.isAwaitExpression(expression) || ts.isCallExpression(expression) || ts.isBinaryExpression(expression)) {
        add("statement dropped", spanOf(node), ";");
      }
    }
    if (ts.isThrowStatement(node)) add("statement dropped", spanOf(node), ";");
    if (ts.isNumericLiteral(node)) {
      const value = Number(node.text);
      add("number", spanOf(node), String(value < 10 ? value + 1 : value * 2));
    }
    if (ts.isSpreadAssignment(node)) add("property dropped", spanOf(node), "...{}");
    const isText =
      ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isText) {
      const { start, end } = spanOf(node);
      for (const fault of sqlFaultsOf(source.slice(start, end))) {
        add(fault.kind, { start: start + fault.start, end: start + fault.end }, fault.text);
      }
    }
    ts.forEachChild(node, visit);
  }
  visit(tree);
  return faults;
}

const looksLikeSql = /\b(?:select|insert into|update|delete from|where|order by|set)\b[^"'`]*\s/;

// By pattern, because a statement can span several strings.
const sqlPatterns: { kind: string; pattern: RegExp; text: string }[] = [
  { kind: "SQL: condition dropped", pattern: /\band [^()\n`$]+?(?=\n|$|`|\band\b|\)| order by| limit)/g, text: "" },
  { kind: "SQL: lock dropped", pattern: /\bfor (?:no key )?update\b(?: of \w+)?(?: skip locked)?/g, text: "" },
  { kind: "SQL: skip locked dropped", pattern: / skip locked/g, text: "" },
  { kind: "SQL: order", pattern: / desc\b/g, text: " asc" },
  { kind: "SQL: comparison", pattern: / (?:<=|>=) /g, text: " = " },
  { kind: "SQL: comparison", pattern: / (?:<|>) /g, text: " <> " },
  { kind: "SQL: negation dropped", pattern: /\bnot (?!null|like|exists)/g, text: "" },
  { kind: "SQL: negation dropped", pattern: /\bis not null\b/g, text: "is null" },
  { kind: "SQL: function", pattern: /\bgreatest\b/g, text: "least" },
  { kind: "SQL: function", pattern: /\bmin\(/g, text: "max(" },
];

function sqlFaultsOf(text: string): RandomFault[] {
  if (!looksLikeSql.test(text)) return [];
  return sqlPatterns.flatMap(({ kind, pattern, text: replacement }) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }) => ({
      kind,
      start: index,
      end: index + found.length,
      text: replacement,
    })),
  );
}

/** A seeded generator of numbers between 0 and 1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** The fault as text that occurs once in the source, with its replacement. */
export function asReplacement(source: string, { start, end, text }: RandomFault): { find: string; replace: string } {
  for (let [from, until] = [start, end]; ; from = Math.max(0, from - 10), until = Math.min(source.length, until + 10)) {
    const find = source.slice(from, until);
    if (find !== "" && source.split(find).length === 2) {
      return { find, replace: source.slice(from, start) + text + source.slice(end, until) };
    }
  }
}

/** A source's imports, as paths from the repository root without `./`; packages are left out. */
export function importsOf(file: string, source: string): string[] {
  const { importedFiles } = ts.preProcessFile(source, true, true);
  return importedFiles.flatMap(({ fileName }) => {
    if (fileName === "#client") return ["lib/client/index.ts"];
    if (fileName === "#words") return ["lib/partner/words/words.ts"];
    if (fileName === "#use-words") return ["components/partner/words/use-words.ts"];
    if (fileName.startsWith("#")) return [fileName.slice(1)];
    return fileName.startsWith(".") ? [new URL(fileName, `file:///${file}`).pathname.slice(1)] : [];
  });
}

/** The tests that load a file, nearest by imports first, and among those the ones in its folder. */
export function testsReaching(file: string, importers: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const folder = file.slice(0, file.lastIndexOf("/"));
  const seen = new Set([file]);
  const tests: string[] = [];
  for (let ring = [file]; ring.length > 0; ) {
    const next = [...new Set(ring.flatMap((one) => [...(importers.get(one) ?? [])]))].filter((one) => !seen.has(one));
    for (const path of next) seen.add(path);
    const found = next.filter((one) => /\.test\.tsx?$/.test(one));
    const isBeside = (test: string) => Number(test.startsWith(folder));
    tests.push(...found.toSorted((one, other) => isBeside(other) - isBeside(one)));
    ring = next.filter((one) => !found.includes(one));
  }
  return tests;
}
