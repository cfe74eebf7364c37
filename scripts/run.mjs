// Runs a TypeScript file of this project with the Node.js that the project pins, and says so when it is not there.
import module from "node:module";
import { pathToFileURL } from "node:url";
import { isNodeTooOld } from "./node-version.mjs";

const [file, ...parameters] = process.argv.slice(2);

if (isNodeTooOld) {
  console.error(
    `Gangway needs Node.js 24, which \`npm ci\` installs with it, but this is ${process.version}: npm did not run the ` +
      "install script of its package `node`. Run `npm ci --allow-scripts=node` or use Node.js 24, then try again.",
  );
  process.exit(1);
}
process.argv.splice(1, process.argv.length - 1, file, ...parameters);
await import("./quick-loading.mjs");
await import(pathToFileURL(file));
// Not only at the end, which a process that is killed does not see.
module.flushCompileCache();
