import { expect, test } from "vitest";
import { compileSentence } from "./sentences.ts";

test("a compiled sentence has plain objects alone, which React can send a browser", () => {
  const [choice] = compileSentence("{count, plural, one {a minute} other {# minutes}}") as [unknown[]];
  const options = choice.find((part) => typeof part === "object");
  expect(options).toEqual({ one: "a minute", other: [0, " minutes"] });
  expect(Object.getPrototypeOf(options)).toBe(Object.prototype);
});
