import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** Builds the folder of the package `@gangway/client`: JavaScript and types, with zod as its only dependency. */
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
  // The compiler rewrites imports only in the JavaScript, so this rewrites them in the types.
  const writeFile: ts.WriteFileCallback = (file, text) =>
    ts.sys.writeFile(file, text.replaceAll(/(?<=from ")(\.[^"]+)\.ts(?=")/g, "$1.js"));
  const { diagnostics } = program.emit(undefined, writeFile);
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (problems.length > 0)
    throw new Error(problems.map((problem) => ts.flattenDiagnosticMessageText(problem.messageText, "\n")).join("\n"));
  cpSync("lib/client/README.md", join(target, "README.md"));
  cpSync("LICENSE", join(target, "LICENSE"));
  const { version, license, dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
    version: string;
    license: string;
    dependencies: { zod: string };
  };
  const manifest = {
    name: "@gangway/client",
    version,
    description: "A client of the published interface: typed calls, token keeping and webhook verification.",
    license,
    type: "module",
    sideEffects: false,
    engines: { node: ">=20" },
    exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
    dependencies: { zod: `^${dependencies.zod}` },
    publishConfig: { access: "public" },
  };
  writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}
