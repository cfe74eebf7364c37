import ts from "typescript";

const units =
  "bytes|KiB|MiB|MB|ms|s|seconds?|minutes?|hours?|days?|years?|characters?|times|tries|texts|addresses|entries|requests|deliveries|pairs|messages";
const numberWithUnit = new RegExp(`\\b(?!1 )\\d[\\d,_.]* (?:${units})\\b`);
const checks = new Set(["minLength", "maxLength", "length", "minimum", "maximum", "gte", "lte", "gt", "lt", "text"]);

/**
 * Sentences of a source text in which somebody typed a number with its unit, and schema checks with a number of their own; 0
 * and 1 are none, because they say "not negative" and "not empty". Comments and SQL, which is tagged, are not looked at.
 */
export function findTypedNumbers(source: string, { isSchema }: { isSchema: boolean }): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTaggedTemplateExpression(node)) {
      node.template.forEachChild(visit);
      return;
    }
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isJsxText(node)) {
      if (numberWithUnit.test(node.text)) found.push(node.text.trim());
    } else if (ts.isTemplateExpression(node)) {
      const written = [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text);
      if (written.some((text) => numberWithUnit.test(text))) found.push(node.getText());
    } else if (isSchema && ts.isCallExpression(node) && checks.has(nameOf(node.expression))) {
      const [limit] = node.arguments;
      if (limit && ts.isNumericLiteral(limit) && Number(limit.text) > 1) found.push(node.getText());
    }
    node.forEachChild(visit);
  };
  visit(ts.createSourceFile("source.tsx", source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
  return found;
}

function nameOf(callee: ts.Expression): string {
  if (ts.isPropertyAccessExpression(callee)) return callee.name.text;
  return ts.isIdentifier(callee) ? callee.text : "";
}
