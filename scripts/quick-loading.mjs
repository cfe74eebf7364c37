// What a command of this project loads first: its modules then take less time and memory to load.
import { enableCompileCache, registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

// What Node makes of a file is kept, so that the next process need not even load what strips types. Where nothing may be
// written, each process makes its own.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/gangway", import.meta.url)));

// Node reads a package's description again for each of its files, to know whether that is a module. Drizzle's has 180 kB, and
// about a hundred of its files are loaded.
const drizzleFile = /\/node_modules\/drizzle-orm\/.*\.js$/;
const drizzleName = /^drizzle-orm(\/|$)/;
const found = new Map();

registerHooks({
  resolve(specifier, context, resolveNext) {
    if (specifier.startsWith(".") && drizzleFile.test(context.parentURL ?? "")) {
      return { url: new URL(specifier, context.parentURL).href, format: "module", shortCircuit: true };
    }
    if (!drizzleName.test(specifier) || !context.conditions.includes("import")) return resolveNext(specifier, context);
    const known = found.get(specifier) ?? { ...resolveNext(specifier, context), shortCircuit: true };
    found.set(specifier, known);
    return known;
  },
});
