import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { describe, expect, test } from "vitest";
import { greetingOf, readPublicAddress, settingsOf } from "./public-address.ts";

describe("--public-url", () => {
  test.each([
    ["https://demo.example.com", "https://demo.example.com", "https://plainbook.demo.example.com"],
    ["https://demo.example.com:8443/", "https://demo.example.com:8443", "https://plainbook.demo.example.com:8443"],
    ["http://demo.localhost:8080", "http://demo.localhost:8080", "http://plainbook.demo.localhost:8080"],
  ])("%s", (given, harbor, plainbook) => {
    expect(readPublicAddress(["--public-url", given])).toEqual({ harbor, plainbook });
  });

  test("with a separate address for Plainbook", () => {
    const words = ["--public-url=https://demo.example.com", "--plainbook-url=https://books.example.net"];
    expect(readPublicAddress(words)).toEqual({
      harbor: "https://demo.example.com",
      plainbook: "https://books.example.net",
    });
  });

  const noAddress = "--public-url must be an address like https://demo.example.com: https, and a host name.";
  const noHostAlone = "--public-url must be a host alone, without a path, a query or a password.";
  test.each([
    ["demo.example.com", noAddress],
    ["", noAddress],
    ["http://demo.example.com", noAddress],
    ["ftp://demo.example.com", noAddress],
    ["https://203.0.113.7", noAddress],
    ["https://[2001:db8::1]", noAddress],
    ["https://demo.example.com/harbor", noHostAlone],
    ["https://demo.example.com?a=b", noHostAlone],
    ["https://me:secret@demo.example.com", noHostAlone],
  ])("%j is refused in one sentence", (given, sentence) => {
    expect(() => readPublicAddress([`--public-url=${given}`])).toThrow(sentence);
  });

  test("Plainbook's address must differ from Harbor's, which it needs", () => {
    const same = ["--public-url=https://demo.example.com", "--plainbook-url=https://demo.example.com"];
    expect(() => readPublicAddress(same)).toThrow("--plainbook-url must be another address than --public-url.");
    expect(() => readPublicAddress(["--plainbook-url=https://a.example"])).toThrow(
      "--plainbook-url needs --public-url.",
    );
    expect(() => readPublicAddress(["--elsewhere"])).toThrow("Unknown option '--elsewhere'");
  });
});

describe("the settings of a public demo", () => {
  const address = { harbor: "https://demo.example.com", plainbook: "https://plainbook.demo.example.com" };
  const settings = settingsOf(address, {
    TRUSTED_PROXIES: "192.0.2.7",
    PARTNER_DATABASE_URL: "postgres://elsewhere/db",
  });

  test("contain no .env.example secret, no other database, no console, and no client", () => {
    const published = Object.values(parseEnv(readFileSync(".env.example", "utf8"))).filter((value) =>
      /demo/.test(value ?? ""),
    );
    expect(Object.values(settings).filter((value) => published.includes(value))).toEqual([]);
    expect(settings).toMatchObject({ PARTNER_DATABASE_URL: "", SERVICE_DATABASE_URL: "", SERVICE_SEED_CLIENT: "" });
    expect(settings).toMatchObject({ OPERATOR_PORT: "", SERVICE_HOSTS: "", SERVICE_OUTBOUND_NETWORKS: "" });
    expect(settings["PARTNER_SERVICE_FEATURES"]).not.toContain("console");
    expect(settingsOf(address, {})["PARTNER_SESSION_SECRET"]).not.toBe(settings["PARTNER_SESSION_SECRET"]);
  });

  test("listen at a given port of loopback, or at a given interface and port", () => {
    const given = { PARTNER_LISTEN: "3001", SERVICE_LISTEN: "4001,4002" };
    expect(settingsOf(address, given)).toMatchObject({
      PARTNER_LISTEN: "127.0.0.1:3001",
      SERVICE_LISTEN: "127.0.0.1:4001",
    });
    expect(settingsOf(address, { PARTNER_LISTEN: "0.0.0.0:3001" })["PARTNER_LISTEN"]).toBe("0.0.0.0:3001");
  });

  test("listen on loopback, and the startup message says what the proxy must do", () => {
    expect(settings).toMatchObject({ PARTNER_LISTEN: "127.0.0.1:3000", SERVICE_LISTEN: "127.0.0.1:4000" });
    expect(settings["TRUSTED_PROXIES"]).toBe("192.0.2.7,127.0.0.1,::1");
    const greeting = greetingOf(address, settings);
    expect(greeting).toContain("\ndemo.example.com {\n\treverse_proxy 127.0.0.1:3000\n}\n");
    expect(greeting).toContain("\nplainbook.demo.example.com {\n\treverse_proxy 127.0.0.1:4000\n}\n");
  });
});
