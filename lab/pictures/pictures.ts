import { spawn } from "node:child_process";
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { thumbnailPage } from "./thumbnail-page.ts";

// Takes pictures of every page that a journey checks (e2e/check-page.ts), with a page of thumbnails.
// `npm run pictures -- identity` takes only those of matching journeys.

const folder = resolve(process.env["PICTURES"] ?? "test-results/pictures");
const choice = process.argv.slice(2);
const checking = globSync("e2e/*.spec.ts").filter((file) => /\bcheckPage\b/.test(readFileSync(file, "utf8")));

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const code = await runJourneys(choice.length > 0 ? choice : checking);
const pictures = readdirSync(folder).filter((file) => file.endsWith(".png"));
writeFileSync(join(folder, "index.html"), thumbnailPage(pictures));
process.stdout.write(`${pictures.length} pictures: ${join(folder, "index.html")}\n`);
process.exit(pictures.length > 0 ? code : 1);

function runJourneys(files: string[]): Promise<number> {
  const child = spawn(process.execPath, ["scripts/run.mjs", "scripts/test.ts", "journeys", ...files], {
    stdio: "inherit",
    env: { ...process.env, PICTURES: folder },
  });
  return new Promise((done, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => done(exitCode ?? 1));
  });
}
