import { expect, test } from "vitest";
import people from "../../contract/examples/people.json" with { type: "json" };
import { newId } from "../../kit/ids.ts";
import { redactBody, redactMessage } from "./redact.ts";

// No secret or personal data reaches the inspector's table, regardless of field names.

test("hides a user intent's personal data, and keeps every field name", () => {
  const shown = JSON.stringify(redactBody(people.UserIntentCreation));
  const { ssn, date_of_birth, phone, email, address1, postal_code, ip_address, metadata } = people.UserIntentCreation;
  for (const value of [ssn, date_of_birth, phone, email, address1, postal_code, ip_address, ...Object.values(metadata)])
    expect(shown).not.toContain(value);
  for (const name of [...Object.keys(people.UserIntentCreation), ...Object.keys(metadata)])
    expect(shown).toContain(`"${name}"`);
});

test.each([
  ["a token", { access_token: "a" }],
  ["a code", { code: "1" }],
  ["a verifier", { code_verifier: "v" }],
  ["a one-time token", { token: "t" }],
  ["a secret further in", { data: [{ client_secret: "s" }] }],
  ["a token by another name", { credential: "gwa_8fK2nQx1LrT5vB9wZc3YpD7mH4sJ6uE0" }],
  ["a token within a sentence", { message: "The token gwa_8fK2nQx1LrT5vB9wZc3YpD7mH4sJ6uE0 is dead." }],
  ["an email address in a sentence", { message: "gwa_@example.com is taken." }],
  ["a phone in a sentence", { message: "Is +15031234567 yours?" }],
  ["an ssn by another name", { national_id: "123456789" }],
  ["an ssn with dashes in a sentence", { description: "123-45-6789 is taken." }],
  ["an ssn as a number", { national_id: 123456789 }],
  ["a value of metadata", { metadata: { shop: "Quay" } }],
])("hides %s", (_what, body) => {
  expect(JSON.stringify(redactBody(body))).not.toMatch(/gwa_|123-?45|"[asvt1]"|Quay/);
});

test("shows ids, words, amounts and times", () => {
  const reason = "trusted_authentication_not_enabled";
  const body = {
    id: newId(),
    reason,
    status: "approved",
    amount: 125.5,
    created_at: "2026-01-31T09:30:00.000Z",
    next: null,
  };
  expect(redactBody(body)).toEqual(body);
});

test("shows only a credential's scheme, no part of a signature, and no unknown header", () => {
  const { headers } = redactMessage(
    {
      authorization: "Bearer abc",
      "webhook-signature": "v1,abc",
      cookie: "abc",
      "x-more": "abc",
      accept: "application/json",
    },
    undefined,
  );
  expect(headers).toEqual({
    accept: "application/json",
    authorization: "Bearer [redacted]",
    "webhook-signature": "[redacted]",
  });
});

test("shows a payment's key regardless of its header's name", () => {
  const key = newId();
  expect(redactMessage({ "x-once": key }, undefined).headers).toEqual({ "x-once": key });
});

test("stores no long body, and only the loggable part of a non-JSON body", () => {
  expect(redactMessage({}, JSON.stringify({ words: "word ".repeat(2000) }))).toEqual({
    headers: {},
    charactersLeftOut: 10012,
  });
  expect(redactMessage({}, "<p>gwa_8fK2nQx1LrT5vB9wZc3YpD7mH4sJ6uE0 marta@example.com</p>").body).not.toMatch(
    /gwa_|marta/,
  );
});
