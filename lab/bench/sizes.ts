import { Console } from "node:console";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installApart } from "../install-apart.ts";
import { startCallee } from "./processes/calls.ts";
import type { SizeProcess } from "./size-process.ts";

// `npm run sizes -- --transfers 1000000,3000000,10000000`: table sizes at these transfer counts, and the cost of one call.

const terminal = new Console(process.stdout, process.stderr);
const { values } = parseArgs({ options: { transfers: { type: "string", default: "1000000,3000000,10000000" } } });
const sizes = values.transfers.split(",").map(Number);
if (sizes.some((size) => !(size >= 1000))) {
  terminal.error("--transfers must be numbers of at least 1000, separated by commas.");
  process.exit(2);
}

installApart(import.meta.dirname, "the package that copies rows", (sentence) => terminal.log(sentence));
const file = fileURLToPath(new URL("./size-process.ts", import.meta.url));
for (const transfers of sizes) {
  const child = await startCallee<SizeProcess>(file, {
    name: `size-${transfers}`,
    env: { ...process.env },
    speaks: true,
  });
  try {
    const { gigabytes, tables, calls, reconciliation } = await child.call("measure", { transfers });
    terminal.log(`\n${transfers.toLocaleString("en-US")} transfers: ${gigabytes.toFixed(2)} GB`);
    terminal.table(tables);
    terminal.table(calls);
    terminal.log(reconciliation);
  } finally {
    await child.stop();
  }
}
