import { expect, test } from "vitest";
import { readOptions } from "./options.ts";

const known = ["refresh", "routine-spread", "routine-hot", "webhooks"];

test("a full run updates the document", () => {
  expect(readOptions([], known)).toMatchObject({ jobs: known, isWritten: true, options: { rounds: 3, minutes: 30 } });
});

test("a partial run is only printed, unless --write is given", () => {
  expect(readOptions(["refresh"], known)).toMatchObject({ jobs: ["refresh"], isWritten: false });
  expect(readOptions(["refresh", "--write"], known)).toMatchObject({ isWritten: true });
});

test("a name prefix selects all matching jobs in order", () => {
  expect(readOptions(["webhooks", "routine"], known).jobs).toEqual(["routine-spread", "routine-hot", "webhooks"]);
});

test.each([
  [["refres"], '"refres" isn\'t a job.'],
  [["--rounds", "0"], "--rounds must be a number above 0."],
  [["--seconds", "many"], "--seconds must be a number above 0."],
  [["--fast"], "Unknown option"],
])("%j is refused", (parameters, message) => {
  expect(() => readOptions(parameters, known)).toThrow(message);
});
