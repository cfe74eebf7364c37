import { describe, expect, test } from "vitest";
import { metadata } from "./people.ts";

const accepted = (pairs: unknown) => metadata.safeParse(pairs).success;
const pairs = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, "value"]));

describe("metadata limits", () => {
  test.each([
    ["no pair", {}, true],
    ["25 pairs", pairs(25), true],
    ["26 pairs", pairs(26), false],
    ["a key and a value of one character", { k: "v" }, true],
    ["a key of 64 characters", { ["k".repeat(64)]: "v" }, true],
    ["a key of 65 characters", { ["k".repeat(65)]: "v" }, false],
    ["an empty key", { "": "v" }, false],
    ["every allowed kind of character in a key", { "aZ09_.-": "v" }, true],
    ["a space in a key", { "order id": "v" }, false],
    ["an umlaut in a key", { schlüssel: "v" }, false],
    ["a value of 256 characters", { key: "v".repeat(256) }, true],
    ["a value of 257 characters", { key: "v".repeat(257) }, false],
    ["an empty value", { key: "" }, false],
    ["256 characters outside the basic plane, which are 512 UTF-16 units", { key: "😀".repeat(256) }, true],
    ["the same value twice", { one: "v", two: "v" }, true],
    ["keys that differ only in case", { Key: "v", key: "v" }, true],
    ["a number as the value", { key: 1 }, false],
    ["a NUL character", { key: "a\0b" }, false],
    ["a UUID, as a client's own customer identifier", { customer: "0198c0de-4111-7111-8111-111111111111" }, true],
  ])("%s", (_name, given, isAccepted) => {
    expect(accepted(given)).toBe(isAccepted);
  });
});

describe("metadata refuses sensitive values and accepts harmless ones", () => {
  test.each([
    ["a card number", "4111111111111111", false],
    ["a card number in groups", "pay with 4111 1111 1111 1111 please", false],
    ["a card number before its expiry", "4111 1111 1111 1111 12/27", false],
    ["a card number after a count", "2 4111-1111-1111-1111", false],
    ["twenty digits that begin like a card number", "41111111111111110000", true],
    ["a Mastercard number in the new range", "2221000000000009", false],
    ["an American Express number", "378282246310005", false],
    ["sixteen digits that fail Luhn", "4111111111111112", true],
    ["sixteen digits of no network", "1234567890123452", true],
    ["thirteen digits, as of an EAN", "4006381333931", true],
    ["an ssn with dashes", "123-45-6789", false],
    ["nine digits without dashes", "123456789", true],
    ["a phone number", "+1 202-555-0123", true],
    ["a date", "2026-01-31", true],
    ["a UUID with digits like a card number's", "47665692-9497-4969-bbd9-d5aaa15ff7bb", true],
    ["the same UUID without hyphens, after a word", "customer-4766569294974969bbd9d5aaa15ff7bb", true],
  ])("%s", (_name, value, isAccepted) => {
    expect(accepted({ note: value })).toBe(isAccepted);
  });

  test.each(["4111111111111111", "note-123-45-6789"])("the key %s", (key) => {
    expect(accepted({ [key]: "value" })).toBe(false);
  });
});
