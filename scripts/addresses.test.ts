import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { requireMatchingAddresses } from "./addresses.ts";

const demo = parseEnv(readFileSync(".env.example", "utf8")) as NodeJS.ProcessEnv;

test("the addresses of .env.example are consistent", () => {
  expect(() => requireMatchingAddresses(demo)).not.toThrow();
});

test("a port changed in one place only is reported for every setting that still has the old one", () => {
  const moved = { ...demo, PARTNER_BASE_URL: "http://localhost:3100", SERVICE_BASE_URL: "http://127.0.0.1:4100" };
  expect(() => requireMatchingAddresses(moved)).toThrow(
    /PARTNER_SERVICE_BASE_URL is http:\/\/127\.0\.0\.1:4000 but must be http:\/\/127\.0\.0\.1:4100/,
  );
  expect(() => requireMatchingAddresses(moved)).toThrow(
    "webhook_url in SERVICE_SEED_CLIENT is http://localhost:3000/webhooks but must be http://localhost:3100/webhooks",
  );
});

test("the hint to run Harbor alone is shown only when its service is elsewhere", () => {
  const foreign = { ...demo, PARTNER_SERVICE_BASE_URL: "https://api.bank.example/v2" };
  expect(() => requireMatchingAddresses(foreign)).toThrow(/npm run harbor$/);
  const moved = { ...demo, PARTNER_BASE_URL: "http://localhost:3100" };
  expect(() => requireMatchingAddresses(moved)).not.toThrow(/npm run harbor/);
});
