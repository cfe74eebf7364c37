import { expect, test } from "vitest";
import { shortId, withShortIds } from "./short-id.ts";

test("keeps both ends of a long id, and the whole of a short one", () => {
  expect(shortId("0198c0de-0000-7000-8000-00000000abcd")).toBe("0198c0de…abcd");
  expect(shortId("0123456789abcdef")).toBe("0123456789abcdef");
});

test("shortens each UUID in a path, and nothing else", () => {
  expect(withShortIds("/v1/routines/0198c0de-0000-7000-8000-00000000abcd/transfers")).toBe(
    "/v1/routines/0198c0de…abcd/transfers",
  );
  expect(withShortIds("/v1/partner/identity/verification")).toBe("/v1/partner/identity/verification");
});
