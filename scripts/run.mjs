// Runs a TypeScript file of this project, or says which Node.js it needs.
import module from "node:module";
import { pathToFileURL } from "node:url";
import { isNodeTooOld } from "./node-version.mjs";

const [file, ...parameters] = process.argv.slice(2);

if (isNodeTooOld) {
  console.error(
    `Gangway needs Node.js 24, which \`npm ci\` installs with it, but this is ${process.version}: npm didn't run the ` +
      "install script of its package `node`. Run `npm ci --allow-scripts=node` or use Node.js 24, then try again.",
  );
  process.exit(1);
}
process.argv.splice(1, process.argv.length - 1, file, ...parameters);
await import("./quick-loading.mjs");
await import(pathToFileURL(file));
// Not only at exit, which a killed process never reaches.
module.flushCompileCache();
