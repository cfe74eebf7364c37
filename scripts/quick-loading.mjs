// What a command of this project loads first: its modules then take less time and memory to load.
import { enableCompileCache, registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

// What Node makes of a file is kept, so that the next process need not even load what strips types. Where nothing may be
// written, each process makes its own.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/gangway", import.meta.url)));

// Node looks for the description of the package of each file, to know whether that is a module, and reads it again. Our own
// files are, except built pages (.next) and what is installed apart (lab), and so are Drizzle's, whose description has 180 kB.
const root = new URL("..", import.meta.url).href;
const ownFile = /^(?!(?:.*\/)?node_modules\/|\.).*\.[jt]s$/;
const ownName = /^\..*\.[jt]s$/;
const drizzleFile = /\/node_modules\/drizzle-orm\/.*\.js$/;
const drizzleName = /^drizzle-orm(\/|$)/;
const found = new Map();

registerHooks({
  resolve(specifier, context, resolveNext) {
    const { parentURL = "" } = context;
    const isOwn = parentURL.startsWith(root) && ownFile.test(parentURL.slice(root.length)) && ownName.test(specifier);
    if (isOwn || (specifier.startsWith(".") && drizzleFile.test(parentURL))) {
      const format = specifier.endsWith(".ts") ? "module-typescript" : "module";
      return { url: new URL(specifier, parentURL).href, format, shortCircuit: true };
    }
    if (!drizzleName.test(specifier) || !context.conditions.includes("import")) return resolveNext(specifier, context);
    const known = found.get(specifier) ?? { ...resolveNext(specifier, context), shortCircuit: true };
    found.set(specifier, known);
    return known;
  },
});
