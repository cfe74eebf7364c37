import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { basicCredentials } from "../../lib/kit/basic-credentials.ts";
import { NotReached } from "./findings.ts";
import { type Report, runSuite, type Verdict } from "./run-suite.ts";
import type { BareRules } from "./testing/bare-rules.ts";
import { type BareService, startBareService } from "./testing/bare-service.ts";
import { settingsFor } from "./testing/run-against.ts";
import { clientFromSettings } from "./world/make-client.ts";
import { readText, startReceiver } from "./world/receiver.ts";

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

describe("an operator's control adapter", () => {
  test("lets every published clause be checked", async () => {
    const report = await runWithAdapter();
    expect(idsOf(report, "not met")).toEqual([]);
    expect(idsOf(report, "not reached")).toEqual(["I.metadata.2", "I.metadata.9", ...clientRules]);
  });

  test("shows a broken rule", async () => {
    const report = await runWithAdapter({ codeSeconds: 2 * 60 * 60 });
    expect(idsOf(report, "not met")).toContain("I.limits.4");
  });

  test("that lacks a call leaves its clauses unreached", async () => {
    const report = await runWithAdapter({}, ["/clock"]);
    expect(idsOf(report, "not met")).toEqual([]);
    expect(report.results.find(({ id }) => id === "I.limits.5")).toMatchObject({
      verdict: "not reached",
      why: "The control adapter refused POST /clock: 404.",
    });
    expect(idsOf(report, "met")).toContain("I.events.4");
  });
});

describe("without control, an operator names people", () => {
  test("only checks that need another client, a changed user, or hours aren't reached", async () => {
    const report = await runWithPeople();
    expect(idsOf(report, "not met")).toEqual([]);
    expect(idsOf(report, "met").length).toBeGreaterThan(100);
    const reasons = new Set(resultsWith(report, "not reached").map(({ why }) => why?.replace(/\d+ s/, "N s")));
    expect([...reasons].sort()).toEqual([
      "A rule for the client, not the service.",
      "Every JSON object key is a string.",
      "Without control of the clock, it takes N s more (--budget).",
      "Without control, an intent is decided when it is created.",
      "Without control, no user's status changes.",
      "Without control, there is no second client.",
    ]);
  });

  test("a broken rule is reported", async () => {
    const report = await runWithPeople({ needsPhoneToMatch: false });
    expect(resultsWith(report, "not met").map(({ id }) => id)).toEqual(["I.customer-record.4"]);
  });

  test("the suite waits for the clock while there is time", async () => {
    const receiver = await startReceiver({ patienceMs: 10 });
    stops.push(receiver.stop);
    const service = await startBareService();
    stops.push(service.stop);
    const settings = { ...settingsFor(service), hasSandbox: false };
    const send = () => Promise.reject(new Error("Nothing is sent."));
    const client = clientFromSettings({ settings, send, receiver, msLeft: () => 100 });
    const startedAt = performance.now();
    await client.advanceClock(0.05);
    expect(performance.now() - startedAt).toBeGreaterThan(45);
    await expect(client.advanceClock(7200)).rejects.toThrow(NotReached);
  });
});

const clientRules = ["I.authentication.12", "I.authentication.13", "I.authentication.14"];

async function runWithPeople(broken: Partial<BareRules> = {}): Promise<Report> {
  const service = await startBareService({ broken, habits: { actsByItself: true } });
  stops.push(service.stop);
  const port = await findFreePort();
  const registered = `http://127.0.0.1:${port}/client-1`;
  const redirectUri = "https://partner.example/callback";
  await callSandbox(service, "PUT", "/client", { redirect_uris: [redirectUri], customers_url: registered });
  await callSandbox(service, "PUT", "/webhook_endpoint", { url: `${registered}/webhooks` });
  const { userId, phone } = service.business;
  const people = {
    approved: { first_name: "Amelia" },
    rejected: { first_name: "Rufus" },
    business: { user_id: userId, phone },
    instruments: { source: `acc-${userId}` },
  };
  const settings = { ...settingsFor(service), hasSandbox: false, people, port, redirectUri, runMsMax: 20_000 };
  return runSuite(settings, { withDecisions: false });
}

async function runWithAdapter(broken: Partial<BareRules> = {}, missing: string[] = []): Promise<Report> {
  const service = await startBareService({ broken });
  stops.push(service.stop);
  const settings = { ...settingsFor(service), hasSandbox: false, controlUrl: await startAdapter(service, missing) };
  return runSuite(settings, { withDecisions: false });
}

/** The five calls for a service that is controlled in another way. */
async function startAdapter(service: BareService, missing: string[]): Promise<string> {
  const secrets = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const path = request.url ?? "";
    const { client_id: id, ...body } = JSON.parse(await readText(request));
    if (missing.includes(path)) return void response.writeHead(404).end();
    const as = { id, secret: secrets.get(id) ?? "" };
    let created: Record<string, string> = {};
    if (path === "/clients") {
      created = await callSandbox(service, "POST", "/clients", {});
      secrets.set(created["client_id"] ?? "", created["client_secret"] ?? "");
      const by = { id: created["client_id"] ?? "", secret: created["client_secret"] ?? "" };
      const { redirect_uri: uri, customers_url: url, trusted_authentication: isTrusted } = body;
      const addresses = { redirect_uris: [uri], customers_url: url, trusted_authentication: isTrusted };
      await callSandbox(service, "PUT", "/client", addresses, by);
      await callSandbox(service, "PUT", "/webhook_endpoint", { url: body.webhook_url }, by);
    } else if (path === "/clock") {
      await callSandbox(service, "POST", "/clock/advance", body, as);
    } else {
      await callSandbox(service, "POST", path, body, as);
    }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(created));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function callSandbox(
  { baseUrl, clientId, clientSecret }: BareService,
  method: string,
  path: string,
  body: unknown,
  { id, secret } = { id: clientId, secret: clientSecret },
): Promise<Record<string, string>> {
  const headers = { authorization: basicCredentials(id, secret) };
  const answer = await fetch(`${baseUrl}/sandbox${path}`, { method, headers, body: JSON.stringify(body) });
  return (await answer.json()) as Record<string, string>;
}

async function findFreePort(): Promise<number> {
  const receiver = await startReceiver({ patienceMs: 1 });
  const { port } = new URL(receiver.openMailbox().webhookUrl);
  await receiver.stop();
  return Number(port);
}

function resultsWith({ results }: Report, verdict: Verdict) {
  return results.filter((one) => one.isPublished && one.verdict === verdict && one.as.length === 0);
}

function idsOf({ results }: Report, verdict: Verdict): string[] {
  return results.filter((one) => one.isPublished && one.verdict === verdict).map(({ id }) => id);
}
