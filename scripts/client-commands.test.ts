import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { describeCommands, placeOf, readCommand, WrongCommandError } from "./client-commands.ts";

const npmrc = readFileSync(".npmrc", "utf8").trim();
const read = (words: string) => readCommand(words.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', "")) ?? []);

test.each<[string, Record<string, unknown>]>([
  [
    'create shop --name "Corner Shop" --redirect-uri https://a.example/ --redirect-uri=https://b.example/ --trusted --by dana',
    {
      name: "Corner Shop",
      redirect_uris: ["https://a.example/", "https://b.example/"],
      trusted_authentication: true,
      by: "dana",
    },
  ],
  ["rotate-secret shop customer-endpoint --by dana", { secret: "customer_endpoint", by: "dana" }],
  ["redirects shop --remove https://a.example/ --dry-run", { remove: ["https://a.example/"], dry_run: true }],
  ["webhook shop --none", { url: null }],
  ["trusted shop off", { enabled: false }],
  ["trusted shop on --customers-url https://a.example", { enabled: true, customers_url: "https://a.example" }],
  ["business shop --first-name Corner --phone +12025550100", { first_name: "Corner", phone: "+12025550100" }],
  ['fund shop --amount 25000.50 --treasury "First Bank"', { amount: 25000.5, treasury: "First Bank" }],
  ["fund shop --amount 1e3", { amount: "1e3" }],
  [
    'decide shop --user-id 7 --status rejected --reason "not_verified: Not: verified." --reason other',
    {
      user_id: "7",
      status: "rejected",
      rejection_reasons: [
        { code: "not_verified", message: "Not: verified." },
        { code: "other", message: "" },
      ],
    },
  ],
  ["redeliver shop --since 2026-01-31T09:30:00Z", { since: "2026-01-31T09:30:00Z" }],
  ["photo shop --user-id 7 --out id.jpg", { user_id: "7" }],
  ["reverse shop --reference 42", { reference: "42" }],
  ["rotate-secret shop customer-endpoint --from-file .npmrc", { secret: "customer_endpoint", value: npmrc }],
  ["enable shop", {}],
])("reads the command %s", (words, input) => {
  const { command, clientId, isJson, ...rest } = read(words);
  expect([command, clientId, isJson, rest.input]).toEqual([words.split(" ")[0], "shop", false, input]);
});

test("show takes an optional id, and --json", () => {
  expect(read("show --json")).toEqual({ command: "show", clientId: undefined, input: {}, isJson: true });
  expect(read("show shop").clientId).toBe("shop");
});

test("the output file isn't sent as a field", () => {
  expect(read("photo shop --user-id 7 --out id.jpg").outputFile).toBe("id.jpg");
});

const all =
  "create, show, rotate-secret, redirects, webhook, trusted, business, fund, reverse, decide, photo, redeliver, enable, disable.";
describe("an invalid command is refused in one sentence", () => {
  test.each([
    ["", `Name a command: ${all}`],
    ["delete shop", `"delete" isn't a command: ${all}`],
    ["toString", `"toString" isn't a command: ${all}`],
    ["disable", "disable: Put the client's id first."],
    ["disable shop now", "now: Unexpected argument."],
    ["disable shop --because fraud", "Unknown option '--because'."],
    ["show shop --by dana", "Unknown option '--by'."],
    ["fund shop --amount", "Option '--amount <value>' argument missing."],
    ["fund shop --amount --by dana", "Option '--amount' argument is ambiguous."],
    ["fund shop --amount 1 --amount 2", "--amount: Given twice."],
    ["disable shop --dry-run=no", "Option '--dry-run' does not take an argument."],
    ["webhook shop --url https://a.example --none", "--none: It conflicts with another option."],
    ["rotate-secret shop", "rotate-secret: Add client or webhook or customer-endpoint after the client's id."],
    ["rotate-secret shop session", "rotate-secret: Add client or webhook or customer-endpoint after the client's id."],
    ["rotate-secret shop customer-endpoint --from-file nowhere", "--from-file: nowhere can't be read."],
    ["photo shop --user-id 7", "photo: Name a new file with --out."],
    ["trusted shop maybe", "trusted: Add on or off after the client's id."],
    ["trusted shop on now", "now: Unexpected argument."],
  ])("%s", (words, sentence) => {
    expect(() => read(words)).toThrow(new WrongCommandError(sentence));
  });
});

test("an invalid field is named as it was typed", () => {
  expect(placeOf({ command: "create", clientId: "shop" }, "redirect_uris.0")).toBe("--redirect-uri");
  expect(placeOf({ command: "create", clientId: "shop" }, "client_id")).toBe("shop");
  expect(placeOf({ command: "decide", clientId: "shop" }, "rejection_reasons.0.message")).toBe("--reason");
  expect(placeOf({ command: "rotate-secret", clientId: "shop" }, "secret")).toBe("rotate-secret");
  expect(placeOf({ command: "disable", clientId: "shop" }, "by")).toBe("--by");
});

test("the help lists every command with its description", () => {
  for (const name of all.replace(".", "").split(", "))
    expect(describeCommands()).toMatch(new RegExp(`^  ${name} `, "m"));
});
