import { describe, expect, test } from "vitest";
import { redactAnswer, redactBody, redacted, redactText } from "./redact-body.ts";

describe("a recorded body", () => {
  test("keeps fields known to be harmless, and null", () => {
    const body = { id: "a", status: "pending", amount: 12.34, user_id: null, trusted: true, metadata: { order: "42" } };
    expect(redactBody(body, "request")).toEqual(body);
  });

  test.each([
    ...["ssn", "date_of_birth", "address1", "address2", "city", "state", "postal_code", "ip_address"],
    ...["token", "access_token", "refresh_token", "client_secret", "code_verifier", "client_assertion"],
    ...["unknown", "toString", "constructor"],
  ])("%s is redacted in requests and responses", (name) => {
    for (const value of ["0001", 7, true, ["x"], { id: "x" }]) {
      expect(redactBody({ [name]: value }, "request")).toEqual({ [name]: redacted });
      expect(redactBody({ [name]: value }, "response")).toEqual({ [name]: redacted });
    }
  });

  test("a code is a secret in a request, and an error's code in a response", () => {
    expect(redactBody({ code: "short" }, "request")).toEqual({ code: redacted });
    expect(redactBody({ code: 404, reason: "not_found" }, "response")).toEqual({ code: 404, reason: "not_found" });
  });

  test.each([
    ...["123456789", "my ssn is 123-45-6789.", "4111 1111 1111 1111"],
    ...[`gwa_${"a".repeat(43)}`, `gwa_12.${"a".repeat(43)}`, "whsec_AAAA"],
  ])("loses %j in any other field, as a value or a name", (text) => {
    expect(redactBody({ name: text, metadata: { a: text, [text]: "b" } }, "request")).toEqual({
      name: redacted,
      metadata: { a: redacted, [redacted]: "b" },
    });
  });

  test("a nine-digit number is redacted like its text", () => {
    expect(redactBody({ first_name: 123456789 }, "request")).toEqual({ first_name: redacted });
  });

  test("ids, phones and amounts of other lengths are left alone", () => {
    for (const text of ["0198c0de-0000-7000-8000-000000000000", "+12025550123", "12345678", "1234567890"]) {
      expect(redactText(text)).toBe(text);
    }
  });

  test("an id with nine digits in a row is kept, text around it isn't", () => {
    const id = "01a20937-b4f2-7647-b47c-9e898013078a";
    for (const text of [id, `/sandbox/users/${id}/tokens/revoke`]) expect(redactText(text)).toBe(text);
    for (const text of [`${id} 123456789`, `/v1/routines/${id}/123-45-6789`]) expect(redactText(text)).toBe(redacted);
  });

  test.each([["a text"], [7], [true]])("is fully redacted if it isn't an object: %j", (body) => {
    expect(redactBody(body, "request")).toBe(redacted);
  });

  test("is null if there is none", () => {
    expect(redactBody(undefined, "request")).toBeNull();
    expect(redactBody(null, "request")).toBeNull();
  });

  test("is small even for the largest allowed body", () => {
    const deep = JSON.parse(`${"[".repeat(30_000)}${"]".repeat(30_000)}`) as unknown;
    const wide = { errors: Array.from({ length: 10_000 }, () => "x"), description: "y".repeat(60_000) };
    expect(JSON.stringify(redactBody(deep, "request")).length).toBeLessThan(100);
    expect(JSON.stringify(redactBody(wide, "request")).length).toBeLessThan(1000);
  });
});

test.each([
  ["plain words", "plain words"],
  ['{"error":"stale"}\n', '{"error":"stale"}\n'],
  [`no gwa_${"a".repeat(43)} here`, "no [redacted] here"],
  [`no gwa_2.${"a".repeat(43)} here`, "no [redacted] here"],
  ["signed with whsec_AAAA+/=", "signed with [redacted]"],
  ["ssn 123-45-6789", "[redacted]"],
  ["card 4111111111111111", "[redacted]"],
  ["\u0000a\u001bb", "ab"],
])("a receiver's response %j is sanitized", (text, kept) => {
  expect(redactAnswer(text)).toBe(kept);
});
