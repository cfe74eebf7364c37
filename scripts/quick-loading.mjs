// Every command of this project loads this first, so that its modules take less time and memory to load.
import { enableCompileCache, registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

// Caches Node's compiled form of each file, so that the next process needn't even load the type stripper. Without write
// access, each process compiles its own.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/gangway", import.meta.url)));

// To learn whether a file is a module, Node finds and rereads its package.json. Our own files are, except built pages (.next)
// and what is installed separately (lab), and so are Drizzle's, whose package.json has 180 kB.
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
