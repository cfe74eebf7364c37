#!/usr/bin/env node
// The command of the package: Plainbook alone, as scripts/service.ts starts it; in the package that is compiled (pack.ts).
import { existsSync } from "node:fs";

// What the packages ask for that it stands on (package/plainbook.test.ts).
const [majorMin, minorMin] = [22, 19];
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < majorMin || (major === majorMin && minor < minorMin)) {
  process.stderr.write(
    `Plainbook needs Node.js ${majorMin}.${minorMin} or later, but this is ${process.version}: use a newer one, or give this ` +
      "project one for its npm commands, by `npm install --save-dev node@24`.\n",
  );
  process.exit(1);
}
await import("../scripts/quick-loading.mjs");
const compiled = new URL("../scripts/service.js", import.meta.url);
await import(existsSync(compiled) ? compiled.href : new URL("../scripts/service.ts", import.meta.url).href);
