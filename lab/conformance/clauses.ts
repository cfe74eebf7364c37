import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A clause as docs/spec says it, with the section of the interface, or the decision, in which it stands. */
export type Clause = { id: string; says: string; section: string; isPublished: boolean };

const folder = join(import.meta.dirname, "../../docs/spec");

/** All clauses in the order of the documents, from the table that `npm run clauses` writes. */
export function readClauses(): Clause[] {
  const ids = new Set(Object.keys(JSON.parse(readFileSync(join(folder, "clauses.json"), "utf8"))));
  const titles = { ...titlesOf("interface.md", "I."), ...titlesOf("decisions.md", "") };
  const rows = readFileSync(join(folder, "clauses.md"), "utf8").matchAll(/^\| (\S+) \| ((?:[^|\\]|\\.)*) \|/gm);
  return [...rows]
    .filter(([, id = ""]) => ids.has(id))
    .map(([, id = "", says = ""]) => {
      const section = id.replace(/\.\d+$/, "");
      return {
        id,
        says: says.replaceAll("\\|", "|").trim(),
        section: titles[section] ?? section,
        isPublished: id.startsWith("I."),
      };
    });
}

// As the ids of clauses are made of the headings.
function titlesOf(file: string, prefix: string): Record<string, string> {
  const headings = readFileSync(join(folder, file), "utf8").matchAll(/^#{2,} (.*)$/gm);
  return Object.fromEntries(
    [...headings].map(([, heading = ""]) => {
      const words = heading.replace(/\(.*?\)|`/g, "").trim();
      const slug = words
        .toLowerCase()
        .replace(/[^a-z0-9{}]+/g, "-")
        .replace(/^-|-$/g, "");
      return [prefix ? `${prefix}${slug}` : (words.split(" ")[0] ?? ""), heading.replaceAll("`", "")];
    }),
  );
}
