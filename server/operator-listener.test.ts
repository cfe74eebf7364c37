import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { parseEnv } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { freePort } from "../scripts/embedded-postgres.ts";
import type { HttpServer } from "./http-server.ts";

const operatorToken = "operator-token-for-tests-alone-0000001";

let opened: HttpServer | undefined;
afterEach(async () => {
  await opened?.stop({ graceMs: 0 });
  opened = undefined;
  vi.unstubAllEnvs();
});

/** Opens it with fresh modules, like a new process. */
async function open(settings: Record<string, string>, host?: string) {
  const example = parseEnv(readFileSync(".env.example", "utf8"));
  const overrides = { SERVICE_DATABASE_URL: "postgres://nobody@127.0.0.1:1/nothing", LOG_LEVEL: "silent" };
  const all = { ...example, ...overrides, ...settings };
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
  vi.resetModules();
  const { openOperatorListener } = await import("./operator-listener.ts");
  opened = await openOperatorListener({ port: await freePort(), ...(host !== undefined && { host }) });
  return opened?.server.address() as AddressInfo;
}

async function get({ port }: AddressInfo, headers: Record<string, string>) {
  const outgoing = request({ port, host: "127.0.0.1", path: "/clients", headers }).end();
  const [answer] = await once(outgoing, "response");
  answer.resume();
  return answer as { statusCode: number; headers: Record<string, string> };
}

test("without OPERATOR_PORT there is no listener, and with it no start without OPERATOR_TOKEN", async () => {
  const { openOperatorListener } = await import("./operator-listener.ts");
  expect(await openOperatorListener(undefined)).toBeUndefined();
  await expect(open({ OPERATOR_TOKEN: "" })).rejects.toThrow("OPERATOR_PORT needs OPERATOR_TOKEN");
});

test("it binds to loopback unless an interface is named", async () => {
  expect(await open({ OPERATOR_TOKEN: operatorToken })).toMatchObject({ address: "127.0.0.1" });
  await opened?.stop({ graceMs: 0 });
  expect(await open({ OPERATOR_TOKEN: operatorToken }, "0.0.0.0")).toMatchObject({ address: "0.0.0.0" });
});

test("it refuses any other token, and counts by the connection's own address", async () => {
  const address = await open({ OPERATOR_TOKEN: operatorToken, SERVICE_REQUESTS_PER_SECOND_MAX: "1" });
  const statuses = [];
  for (let number = 0; number < 12; number++) {
    const headers = { authorization: "Bearer nobody", "x-gangway-client-address": `203.0.113.${number}` };
    statuses.push((await get(address, headers)).statusCode);
  }
  expect([...new Set(statuses)]).toEqual([401, 429]);
});
