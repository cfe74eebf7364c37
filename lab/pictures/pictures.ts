import { spawn } from "node:child_process";
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

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

/** A page of linked thumbnails named `what-width-scheme.png`, one row per `what`. */
function thumbnailPage(files: string[]): string {
  const rows = Map.groupBy(files.toSorted(), (file) => file.replace(/-\d+-\w+\.png$/, ""));
  const sections = [...rows].map(
    ([what, pictures]) => `<section><h2>${what}</h2><div>${pictures.map(thumbnail).join("")}</div></section>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Every page and state</title>
<style>
  body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem; color: #222; background: #ddd; }
  h2 { font-size: 1rem; margin: 2rem 0 0.5rem; }
  div { display: flex; flex-wrap: wrap; gap: 1rem; align-items: start; }
  figure { margin: 0; }
  img { display: block; height: 20rem; width: auto; max-width: 40rem; object-fit: cover; object-position: top; }
</style>
<h1>Every page and state: ${rows.size}</h1>
${sections.join("\n")}
</html>
`;
}

function thumbnail(file: string): string {
  const caption = /(\d+)-(\w+)\.png$/.exec(file);
  const label = caption ? `${caption[1]} px, ${caption[2]}` : file;
  return `<figure><a href="${file}"><img src="${file}" alt="" loading="lazy"></a><figcaption>${label}</figcaption></figure>`;
}
