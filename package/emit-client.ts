import { cpSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** Compiles the client, `gangway/client`, to JavaScript with its types. Throws what the compiler reports. */
export function emitClient(target: string): void {
  const program = ts.createProgram(["lib/client/index.ts"], {
    rootDir: "lib/client",
    outDir: target,
    declaration: true,
    strict: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    module: ts.ModuleKind.NodeNext,
    rewriteRelativeImportExtensions: true,
    types: ["node"],
  });
  // Only the JavaScript gets its imports rewritten by the compiler.
  const writeFile: ts.WriteFileCallback = (file, text) =>
    ts.sys.writeFile(file, text.replaceAll(/(?<=from ")(\.[^"]+)\.ts(?=")/g, "$1.js"));
  const { diagnostics } = program.emit(undefined, writeFile);
  cpSync("lib/client/README.md", join(target, "README.md"));
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (problems.length > 0)
    throw new Error(problems.map((problem) => ts.flattenDiagnosticMessageText(problem.messageText, "\n")).join("\n"));
}
