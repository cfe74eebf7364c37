import { expect, test } from "vitest";
import { codeInText } from "./device.tsx";

test.each([
  ["Your code is 204811.", "204811"],
  ["000007 is your code", "000007"],
  ["Your longer code is 20481 10007.", "20481 10007"],
  ["Call 12025550100", undefined],
  ["Your code is 20481", undefined],
  ["Call 12025550100 or enter 991234", "991234"],
])("the code in %j is %s", (text, code) => {
  expect(codeInText(text)).toBe(code);
});
