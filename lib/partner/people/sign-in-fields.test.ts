import { expect, test } from "vitest";
import { codeFields } from "./sign-in-fields.ts";

test.each(["123456", "123 456", "123-456", "G-123456", "G-123 456", "123\u2013456", "\u200b123456"])(
  "the code of %j is its digits",
  (code) => expect(codeFields.parse({ code }).code).toBe("123456"),
);
