#!/usr/bin/env node
// The package's command: Plainbook itself, or its checks, drills or MCP server. Here the scripts are compiled (pack.ts).
import { existsSync } from "node:fs";
import { isNodeTooOld, oldestNode } from "../scripts/node-version.mjs";

if (isNodeTooOld) {
  process.stderr.write(
    `Plainbook needs Node.js ${oldestNode.join(".")} or later, but this is ${process.version}: use a newer one, or give this ` +
      "project one for its npm commands, by `npm install --save-dev node@24`.\n",
  );
  process.exit(1);
}
await import("../scripts/quick-loading.mjs");
const [command] = process.argv.slice(2);
const isTool = command === "checks" || command === "drills" || command === "mcp";
if (isTool) process.argv.splice(2, 1);
const script = `../scripts/${isTool ? command : "service"}`;
const compiled = new URL(`${script}.js`, import.meta.url);
await import(existsSync(compiled) ? compiled.href : new URL(`${script}.ts`, import.meta.url).href);
