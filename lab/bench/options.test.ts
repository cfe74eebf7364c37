import { expect, test } from "vitest";
import { readOptions } from "./options.ts";

const known = ["refresh", "routine-spread", "routine-hot", "webhooks"];

test("a run of everything is written into the document", () => {
  expect(readOptions([], known)).toMatchObject({ jobs: known, isWritten: true, options: { rounds: 3, minutes: 30 } });
});

test("a run of some jobs is only shown, unless it is to be written", () => {
  expect(readOptions(["refresh"], known)).toMatchObject({ jobs: ["refresh"], isWritten: false });
  expect(readOptions(["refresh", "--write"], known)).toMatchObject({ isWritten: true });
});

test("the beginning of a name means all jobs that begin so, in their own order", () => {
  expect(readOptions(["webhooks", "routine"], known).jobs).toEqual(["routine-spread", "routine-hot", "webhooks"]);
});

test.each([
  [["refres"], 'There is no job "refres".'],
  [["--rounds", "0"], "--rounds must be a number above 0."],
  [["--seconds", "many"], "--seconds must be a number above 0."],
  [["--fast"], "Unknown option"],
])("%j is refused", (parameters, message) => {
  expect(() => readOptions(parameters, known)).toThrow(message);
});
