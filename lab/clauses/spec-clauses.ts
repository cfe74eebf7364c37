import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** One statement of the interface or of a decision. `proof`: the tests that fail if it doesn't hold. */
export type Clause = Statement & { proof: Proof[]; open: string | undefined };

/** A test file, and the beginning of a test's name (or of a describe block around several). */
export type Proof = { file: string; name: string };

/** `file` and `heading` are its location. */
type Statement = { id: string; text: string; file: string; heading: string };
// In clauses.json: a list of "file: name" for a proven clause, or a sentence about what is still being built.
type Proofs = Record<string, string[] | string>;

const folder = join(import.meta.dirname, "../../docs/spec");
const proofsFile = join(import.meta.dirname, "clauses.json");
const sources = { "interface.md": "I", "decisions.md": "" } as const;

/** Every clause of the two documents, in order, with its entry in clauses.json. */
export function readClauses(): Clause[] {
  const proofs: Proofs = JSON.parse(readFileSync(proofsFile, "utf8"));
  return readStatements().map((statement) => {
    const known = proofs[statement.id] ?? [];
    return typeof known === "string"
      ? { ...statement, proof: [], open: known }
      : { ...statement, proof: known.map(parseProof), open: undefined };
  });
}

/** Problems with the mapping, one sentence each. */
export function findClauseProblems(clauses: Clause[]): string[] {
  const ids = new Set(clauses.map(({ id }) => id));
  const proofs: Proofs = JSON.parse(readFileSync(proofsFile, "utf8"));
  return [
    ...Object.keys(proofs)
      .filter((id) => !ids.has(id))
      .map((id) => `${id} isn't a clause of the documents.`),
    ...clauses
      .filter(({ proof, open }) => proof.length === 0 && !open)
      .map(({ id, text }) => `${id} has no test: ${text.slice(0, 120)}`),
    ...clauses.flatMap(({ id, proof }) =>
      proof.filter((one) => !isInFile(one)).map(({ file, name }) => `${id}: ${file} has no test "${name}".`),
    ),
  ];
}

function readStatements(): Statement[] {
  return Object.entries(sources).flatMap(([file, prefix]) =>
    statementsOf(readFileSync(`${folder}/${file}`, "utf8"), prefix).map((statement) => ({ ...statement, file })),
  );
}

/** List items, table rows, paragraphs and examples, numbered within their heading. */
function statementsOf(markdown: string, prefix: string): Omit<Statement, "file">[] {
  const found: Omit<Statement, "file">[] = [];
  let heading = "";
  let section = "";
  let number = 0;
  for (const block of blocksOf(markdown).map(withoutNotShown)) {
    const [, marks, title] = /^(#+) (.*)$/.exec(block) ?? [];
    if (title !== undefined) {
      heading = title;
      section = sectionId(title, marks === "#", prefix);
      number = 0;
    } else if (section && block !== "" && !block.endsWith(":")) {
      number += 1;
      found.push({ id: `${section}.${number}`, text: block, heading });
    }
  }
  return found;
}

// "Response body: not shown." isn't a statement; the text before it can be one.
function withoutNotShown(block: string): string {
  return block.replace(/(?:^|(?<=\.) )[^.]*\bnot shown\.$/, "");
}

// A document's title has no clauses. A decision's id is its number, a section's id comes from its heading.
function sectionId(heading: string, isTitle: boolean, prefix: string): string {
  if (isTitle) return "";
  const words = heading.replace(/\(.*?\)|`/g, "").trim();
  const name = prefix ? words.toLowerCase().replace(/[^a-z0-9{}]+/g, "-") : (words.split(" ")[0] ?? "");
  return prefix ? `${prefix}.${name.replace(/^-|-$/g, "")}` : name;
}

/** Headings, list items, table rows, paragraphs and code blocks, one line each. Table headers are left out. */
function blocksOf(markdown: string): string[] {
  const blocks: string[] = [];
  let isCode = false;
  let isNew = true;
  const lines = markdown.split("\n");
  for (const [index, line] of lines.entries()) {
    const text = line.trim();
    if (text.startsWith("```")) {
      isCode = !isCode;
      isNew = true;
    } else if (text === "") {
      isNew = true;
    } else if (isCode) {
      append(text, isNew);
      isNew = false;
    } else if (isHeaderOfTable(lines, index)) {
      isNew = true;
    } else {
      append(text.replace(/^(?:[-*]|\d+\.) /, ""), isNew || /^(?:#|\||[-*] |\d+\. )/.test(text));
      isNew = text.startsWith("#");
    }
  }
  return blocks;

  function append(text: string, startsBlock: boolean): void {
    const last = blocks.at(-1);
    if (startsBlock || last === undefined) blocks.push(text);
    else blocks[blocks.length - 1] = `${last} ${text}`;
  }
}

function isHeaderOfTable(lines: string[], index: number): boolean {
  const isRule = (line: string | undefined) => /^\|[-|: ]+\|$/.test(line?.trim() ?? "");
  return isRule(lines[index]) || isRule(lines[index + 1]);
}

function parseProof(text: string): Proof {
  const end = text.indexOf(": ");
  return { file: text.slice(0, end), name: text.slice(end + 2) };
}

// The file, or the test file that it imports, has a test or describe block whose name begins like this.
function isInFile({ file, name }: Proof): boolean {
  if (!existsSync(file)) return false;
  const text = readFileSync(file, "utf8");
  const [, runs] = /^await import\("(\.\/[^"]+\.test\.ts)"\);$/m.exec(text) ?? [];
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const isHere = new RegExp(`\\(\\s*["'\`]${escaped}`).test(text);
  return isHere || (runs !== undefined && isInFile({ file: join(dirname(file), runs), name }));
}
