import { assemble } from "./runtime-files.ts";

// `npm run assemble -- /image` copies what a production process needs into a new folder, after `npm run build`.

const [target] = process.argv.slice(2);
try {
  if (!target) throw new Error("Name the folder to write: npm run assemble -- /image");
  assemble(target);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(2);
}
