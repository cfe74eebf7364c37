import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, expect, test } from "vitest";
import type { HttpServer } from "./http-server.ts";
import { openMetricsListener } from "./metrics-listener.ts";

const metric = (name: string, samples: string[]) =>
  [`# HELP ${name} Help.`, `# TYPE ${name} gauge`, ...samples.map((sample) => `${name}${sample}`), ""].join("\n");
const service = {
  isReady: async () => true,
  readMetrics: async () => ({ text: metric("plainbook_pool_waiting", [" 0"]) }),
};
const partner = { ...service, isReady: async () => false };

let opened: HttpServer | undefined;
afterEach(async () => {
  await opened?.stop({ graceMs: 0 });
});

test("without METRICS_LISTEN there is no listener", async () => {
  expect(await openMetricsListener(undefined, { apps: [service], isOpen: () => true })).toBeUndefined();
});

test("a worker process serves its metrics and health, and nothing else", async () => {
  const call = await open({ apps: [service], isOpen: () => true });
  expect(await call("/metrics")).toEqual({
    status: 200,
    type: "text/plain; version=0.0.4; charset=utf-8",
    text: metric("plainbook_pool_waiting", [" 0"]),
  });
  expect(await call("/healthz")).toMatchObject({ status: 200 });
  expect(await call("/readyz")).toMatchObject({ status: 200 });
  expect(await call("/metrics", "POST")).toMatchObject({ status: 405 });
  for (const path of ["/", "/v1/user", "/sandbox/clock", "/metrics/"])
    expect(await call(path)).toMatchObject({ status: 404 });
});

test("a process of both apps serves the metrics of each, its own once, each metric's lines together", async () => {
  const appOf = (app: string, cpuSeconds: number) => {
    const text = [
      ["gangway_messages", `{app="${app}"} 1`],
      ["cpu", ` ${cpuSeconds}`],
      [`${app}_pool`, " 2"],
    ];
    return {
      isReady: async () => true,
      readMetrics: async () => ({ text: text.map(([name = "", sample = ""]) => metric(name, [sample])).join("") }),
    };
  };
  const call = await open({ apps: [appOf("service", 7), appOf("partner", 8)], isOpen: () => true });
  const expected = [
    metric("gangway_messages", ['{app="service"} 1', '{app="partner"} 1']),
    ...[metric("cpu", [" 7"]), metric("service_pool", [" 2"]), metric("partner_pool", [" 2"])],
  ];
  expect(await call("/metrics")).toMatchObject({ status: 200, text: expected.join("") });
});

test("ready when all apps of the process are, and not while it stops", async () => {
  const both = await open({ apps: [service, partner], isOpen: () => true });
  expect(await both("/readyz")).toMatchObject({ status: 503 });
  await opened?.stop({ graceMs: 0 });
  const stopping = await open({ apps: [service], isOpen: () => false });
  expect(await stopping("/readyz")).toMatchObject({ status: 503, text: "stopping\n" });
  expect(await stopping("/healthz")).toMatchObject({ status: 200 });
});

test("503 when metrics can't be read", async () => {
  const readMetrics = async () => {
    throw new Error("the database at 10.0.0.7 is away");
  };
  const answer = await (await open({ apps: [{ ...service, readMetrics }], isOpen: () => true }))("/metrics");
  expect(answer).toMatchObject({ status: 503, text: "not now\n" });
});

test("binds to loopback unless a host is configured", async () => {
  const call = await open({ apps: [service], isOpen: () => true });
  const { address } = addressOf(opened);
  expect(address).toBe("127.0.0.1");
  const addresses = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.filter((address) => !address.internal && address.family === "IPv4"),
  );
  for (const entry of addresses) await expect(call("/metrics", "GET", entry.address)).rejects.toThrow("ECONNREFUSED");
  await opened?.stop({ graceMs: 0 });
  await open({ apps: [service], isOpen: () => true }, "0.0.0.0");
  expect(addressOf(opened).address).toBe("0.0.0.0");
});

async function open(watched: Parameters<typeof openMetricsListener>[1], host?: string) {
  opened = await openMetricsListener({ host, port: 0 }, watched);
  const { port } = addressOf(opened);
  return (path: string, method = "GET", host = "127.0.0.1") => call({ host, port, path, method });
}

function addressOf(server: HttpServer | undefined): AddressInfo {
  const address = server?.server.address();
  if (!address || typeof address === "string") throw new Error("The listener is not open.");
  return address;
}

function call(target: { host: string; port: number; path: string; method: string }) {
  return new Promise<{ status: number | undefined; type: string | undefined; text: string }>((resolve, reject) => {
    const outgoing = request({ ...target, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, type: response.headers["content-type"], text }));
    });
    outgoing.once("error", reject).end();
  });
}
