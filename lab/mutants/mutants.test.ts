import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Clause, readClauses } from "../clauses/spec-clauses.ts";
import {
  exactPattern,
  findMutantProblems,
  isLinked,
  linkedPattern,
  plant,
  readKillers,
  readMutants,
} from "./mutant-list.ts";

const list = readMutants();

test("every clause has a mutant that applies to the source, or says why it has none", () => {
  expect(findMutantProblems()).toEqual([]);
});

test("each mutant names a linked test that killed it; `npm run mutants -- --stale` finds the rest", () => {
  const killers = readKillers(list.mutants);
  const stale = list.mutants.filter((mutant) => !killers.has(mutant));
  expect(stale.map(({ clause, fault }) => `${clause}: ${fault}`)).toEqual([]);
});

test("planting a fault changes only its own text", () => {
  const [mutant] = list.mutants;
  if (!mutant) throw new Error("There must be mutants.");
  expect(plant({ ...mutant, replace: mutant.find })).toBe(readFileSync(mutant.file, "utf8"));
  expect(plant(mutant)).toContain(mutant.replace);
});

test("missing, empty, lost and ineffective mutants are reported", () => {
  const proof = [{ file: "lab/mutants/mutants.test.ts", name: "what is missing" }];
  const clauses: Clause[] = ["A.1", "A.2", "A.3", "A.4"].map((id) => ({
    id,
    text: "It holds.",
    file: "decisions.md",
    heading: "A",
    proof,
    open: undefined,
  }));
  const file = "scripts/processes.ts";
  const fault = { fault: "it does not", file, find: "function isAlive", replace: "function isDead" };
  const problems = findMutantProblems(
    {
      "A.1": [fault, { ...fault, find: "pid", replace: "id" }, { ...fault, replace: fault.find }],
      "A.2": [],
      "A.3": { as: "A.9" },
      "A.5": { none: "no such clause" },
    },
    clauses,
  );
  expect(problems).toEqual([
    "A.5 isn't a clause of the documents.",
    "A.3 has no mutant: It holds.",
    "A.4 has no mutant: It holds.",
    "A.2 has an empty list of mutants.",
    `A.1 (it does not): nothing is replaced.`,
    expect.stringMatching(/^A\.1 \(it does not\): occurs \d+ times in scripts\/processes\.ts: pid$/),
  ]);
});

test("a test is linked if its name, or its describe's, starts like the proof; templates match any text", () => {
  const proof = [{ file: "a.test.ts", name: "400: %s is required" }];
  expect(isLinked(proof, { file: "a.test.ts", path: ["POST /v1", "400: amount is required"] })).toBe(true);
  expect(isLinked(proof, { file: "a.test.ts", path: ["POST /v1", "so 400: amount is required"] })).toBe(false);
  expect(isLinked(proof, { file: "b.test.ts", path: ["400: amount is required"] })).toBe(false);
  const path = ["POST /v1 (all)", "400: amount is required"];
  expect(path.join(" ")).toMatch(new RegExp(linkedPattern(["400: %s is required"])));
  expect(path.join(" ")).toMatch(new RegExp(exactPattern({ file: "a.test.ts", path })));
  expect(`${path.join(" ")} too`).not.toMatch(new RegExp(exactPattern({ file: "a.test.ts", path })));
});

test("a clause proven only in the browser has no killable mutant", () => {
  const [clause] = readClauses();
  if (!clause) throw new Error("There must be clauses.");
  const inBrowser = { ...clause, proof: [{ file: "e2e/demo.spec.ts", name: "the demo starts" }] };
  const [mutant] = list.mutants;
  if (!mutant) throw new Error("There must be mutants.");
  const { fault, file, find, replace } = mutant;
  expect(findMutantProblems({ [clause.id]: [{ fault, file, find, replace }] }, [inBrowser])).toEqual([
    `${clause.id} has no test without a browser.`,
  ]);
});
