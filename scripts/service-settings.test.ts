import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, expect, test } from "vitest";
import { readEnvironment } from "../lib/kit/environment.ts";
import { serviceEnvironment } from "../lib/service/config.ts";
import { claim } from "./embedded-databases.ts";
import type { ServiceOptions } from "./service-options.ts";
import { readinessOf, requireDataFolder, serviceSettings } from "./service-settings.ts";

const example = parseEnv(readFileSync(".env.example", "utf8"));
const parent = mkdtempSync(join(tmpdir(), "gangway-test-"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** All settings that the service would start with. */
function settingsFor(
  options: ServiceOptions,
  settings: Record<string, string | undefined> = example,
): Record<string, string | undefined> {
  return { ...settings, ...serviceSettings(options, { settings, freePort: 4711 }) };
}

function clientOf(settings: Record<string, string | undefined>) {
  return JSON.parse(settings["SERVICE_SEED_CLIENT"] ?? "");
}

test("the service is a sandbox with its own database, regardless of the settings", () => {
  const production = { ...example, SERVICE_MODE: "production", SERVICE_DATABASE_URL: "postgres://db.example/books" };
  expect(settingsFor({}, production)).toMatchObject({ SERVICE_MODE: "sandbox", SERVICE_DATABASE_URL: "" });
});

test("API and pages share one address; its port is the option's, a free one for 0, or the settings'", () => {
  const addresses = (port?: string) => {
    const { base_url, auth_url } = readinessOf(settingsFor(port === undefined ? {} : { port }), { data: "d" });
    return [base_url, auth_url];
  };
  expect(addresses()).toEqual(["http://127.0.0.1:4000", "http://127.0.0.1:4000"]);
  expect(addresses("4010")).toEqual(["http://127.0.0.1:4010", "http://127.0.0.1:4010"]);
  expect(addresses("0")).toEqual(["http://127.0.0.1:4711", "http://127.0.0.1:4711"]);
});

test("the options and settings set the interface, the announced address, and the accepted host names", () => {
  const addressesOf = (options: ServiceOptions, settings = example) => {
    const { SERVICE_BASE_URL: at, SERVICE_AUTH_URL: pages, ...all } = settingsFor(options, settings);
    return { at, pages, listen: all["SERVICE_LISTEN"], names: all["SERVICE_HOSTS"] };
  };
  const localNames = "localhost,127.0.0.1,host.docker.internal";
  const at = (address: string) => ({ at: address, pages: address });
  expect(addressesOf({}, { ...example, SERVICE_HOSTS: "" })).toMatchObject({
    at: "http://127.0.0.1:4000",
    names: localNames,
  });
  const bare = { ...example, SERVICE_HOSTS: "" };
  expect(addressesOf({ host: "0.0.0.0" }, bare)).toEqual({
    ...at("http://127.0.0.1:4000"),
    listen: "0.0.0.0:4000",
    names: localNames,
  });
  expect(addressesOf({ host: "10.0.0.5", port: "4010" }, bare)).toEqual({
    ...at("http://10.0.0.5:4010"),
    listen: "10.0.0.5:4010",
    names: `${localNames},10.0.0.5`,
  });
  expect(addressesOf({ host: "::1" }, bare)).toMatchObject({ at: "http://[::1]:4000", listen: "[::1]:4000" });
  expect(
    addressesOf({ "public-url": "http://localhost:5000", port: "0" }, { ...example, SERVICE_HOSTS: "plainbook" }),
  ).toEqual({
    ...at("http://localhost:5000"),
    listen: "127.0.0.1:4711",
    names: `${localNames},plainbook`,
  });
});

test("by default the client is demo-client, for an app at localhost:3000, with no webhook or customer endpoint", () => {
  expect(clientOf(settingsFor({}))).toEqual({
    client_id: "demo-client",
    client_secret: "demo-client-secret-of-demo-client",
    name: "demo-client",
    redirect_uris: ["http://localhost:3000/callback"],
    webhook_url: null,
    customers_url: null,
  });
});

test("secrets and ids derive from the client's id: the same at every start, different for another id", () => {
  const ownOf = (clientId: string) => {
    const ready = readinessOf(settingsFor({ "client-id": clientId }), { data: "d" });
    return [ready.client_secret, ready.webhook_secret, ready.customer_endpoint_secret, ready.business_user_id];
  };
  expect(ownOf("one")).toEqual(ownOf("one"));
  const both = [...ownOf("one"), ...ownOf("two")];
  expect(new Set(both).size).toBe(both.length);
  expect(both.every((value) => value !== "")).toBe(true);
});

test("each option is applied to the client", () => {
  const options = {
    "client-id": "shop",
    "client-secret": "of-my-own",
    "client-name": "The Shop",
    "redirect-uri": "http://localhost:8080/back",
    "webhook-url": "http://localhost:8080/hooks",
    "customers-url": "http://localhost:8080/",
    "trusted-authentication": "off",
  };
  const settings = settingsFor(options);
  const path = "postgres://127.0.0.1/books";
  expect(() => readEnvironment(serviceEnvironment, { ...settings, SERVICE_DATABASE_URL: path })).not.toThrow();
  expect(clientOf(settings)).toMatchObject({ name: "The Shop", trusted_authentication: false });
  expect(readinessOf(settings, { data: "/tmp/d" })).toMatchObject({
    client_id: "shop",
    client_secret: "of-my-own",
    redirect_uris: ["http://localhost:8080/back"],
    webhook_url: "http://localhost:8080/hooks",
    customers_url: "http://localhost:8080/",
    data: "/tmp/d",
  });
});

test("a client described by the settings keeps their values, so Harbor run alone finds its service", () => {
  const settings = settingsFor({ "client-id": "demo-harbor", "client-name": "Another name" });
  expect(clientOf(settings)).toEqual({ ...clientOf(example), trusted_authentication: true, name: "Another name" });
});

test("the JSON line has every address, id and secret that a client needs, none of them empty", () => {
  const line = JSON.stringify(readinessOf(settingsFor({}), { data: "/tmp/d" }));
  expect(line).not.toContain("\n");
  const { webhook_url, customers_url, ...filled } = JSON.parse(line);
  expect([webhook_url, customers_url]).toEqual([null, null]);
  expect(Object.keys(filled)).toEqual([
    "base_url",
    "auth_url",
    "client_id",
    "client_secret",
    "provider",
    "webhook_secret",
    "customer_endpoint_secret",
    "business_profile_id",
    "business_user_id",
    "business_user_phone",
    "redirect_uris",
    "data",
  ]);
  expect(Object.values(filled).filter((value) => value === "" || value === undefined)).toEqual([]);
});

test("a data folder may be new, empty, or from an earlier start, but can't hold other files", () => {
  const folder = (name: string, ...files: string[]) => {
    mkdirSync(join(parent, name));
    for (const file of files) writeFileSync(join(parent, name, file), "");
    return join(parent, name);
  };
  for (const path of [join(parent, "new"), folder("empty"), folder("earlier", "used-by", "log")]) {
    expect(() => requireDataFolder(path)).not.toThrow();
  }
  const project = folder("project", "package.json");
  expect(() => requireDataFolder(project)).toThrow(
    `${project} holds other files: --data must name a new or empty folder`,
  );
  expect(() => requireDataFolder(join(project, "package.json"))).toThrow("is a file");
});

test("a data folder in use is refused, naming the process's id, and taken over once that process has ended", () => {
  const folder = join(parent, "used");
  mkdirSync(folder);
  writeFileSync(join(folder, "used-by"), String(process.ppid));
  const note = join(folder, "used-by");
  expect(() => claim(folder)).toThrow(
    new RegExp(`^The data in ${folder} is in use by process ${process.ppid}, .* another program, delete ${note}\\.$`),
  );
  // No process has this id.
  writeFileSync(join(folder, "used-by"), "4194305");
  claim(folder);
  expect(readFileSync(join(folder, "used-by"), "utf8")).toBe(String(process.pid));
});
