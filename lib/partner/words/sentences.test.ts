import { expect, test } from "vitest";
import { compileSentence, sentencesOf, sentencesText } from "./sentences.ts";

test("a compiled sentence has only plain objects, which React can send to a browser", () => {
  const [choice] = compileSentence("{count, plural, one {a minute} other {# minutes}}") as [unknown[]];
  const options = choice.find((part) => typeof part === "object");
  expect(options).toEqual({ one: "a minute", other: [0, " minutes"] });
  expect(Object.getPrototypeOf(options)).toBe(Object.prototype);
});

test.each([["status"], ["status", "frame"]] as const)("the text of %s %s has their sentences", (...pages) => {
  const sentences = pages.map((page) => [page, sentencesOf("en-US", page)]);
  expect(JSON.parse(sentencesText("en-US", [...pages]))).toEqual(Object.fromEntries(sentences));
});
