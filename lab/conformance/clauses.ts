import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readClauses as readProvenClauses } from "../clauses/spec-clauses.ts";

/** A clause of docs/spec, with its section or decision. */
export type Clause = { id: string; says: string; section: string; isPublished: boolean };

const folder = join(import.meta.dirname, "../../docs/spec");

export function readClauses(): Clause[] {
  const titles = { ...titlesOf("interface.md", "I."), ...titlesOf("decisions.md", "") };
  return readProvenClauses()
    .filter(({ proof }) => proof.length > 0)
    .map(({ id, text }) => {
      const section = id.replace(/\.\d+$/, "");
      return {
        id,
        says: text.replace(/^\| ?| ?\|$/g, "").trim(),
        section: titles[section] ?? section,
        isPublished: id.startsWith("I."),
      };
    });
}

// Clause ids derive from the headings.
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
