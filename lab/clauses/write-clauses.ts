import { writeFileSync } from "node:fs";
import { findClauseProblems, readClauses, writeClauseTable } from "./spec-clauses.ts";

const clauses = readClauses();
for (const problem of findClauseProblems(clauses)) process.stderr.write(`${problem}\n`);
writeFileSync("docs/spec/clauses.md", writeClauseTable(clauses));
