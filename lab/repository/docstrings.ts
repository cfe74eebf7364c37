import ts from "typescript";

/**
 * The names of a file's exports that have no docstring. A type that is inferred from a schema or list (`z.infer`, `typeof`)
 * needs none, because its origin has one.
 */
export function findExportsWithoutDocstring(text: string): string[] {
  const source = ts.createSourceFile("file.ts", text, ts.ScriptTarget.Latest, true);
  const exported = source.statements.filter((statement) => isExported(statement) && !isInferredType(statement));
  // One docstring stands for all overloads of a function.
  const documented = new Set(exported.filter(hasDocstring).flatMap(namesOf));
  return [...new Set(exported.flatMap(namesOf))].filter((name) => !documented.has(name));
}

function isExported(statement: ts.Statement): boolean {
  if (!ts.canHaveModifiers(statement)) return false;
  return ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function isInferredType(statement: ts.Statement): boolean {
  return (
    ts.isTypeAliasDeclaration(statement) &&
    /^(?:z\.(?:infer|input|output)<|\(?(?:keyof )?typeof )/.test(statement.type.getText())
  );
}

function hasDocstring(statement: ts.Statement): boolean {
  return ts.getJSDocCommentsAndTags(statement).length > 0;
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement);
  return isNamed ? [statement.name?.text ?? "default"] : [];
}
