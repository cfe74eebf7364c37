import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readOptions } from "./options.ts";
import { type Report, runSuite } from "./run-suite.ts";
import type { BareRules } from "./testing/bare-rules.ts";
import { startBareService } from "./testing/bare-service.ts";
import { type RelayedRequest, type RelayedResponse, startDistortedService } from "./testing/distorted-service.ts";
import { runAgainstBare, settingsFor } from "./testing/run-against.ts";
import { writeTextReport } from "./text-report.ts";
import { createRedactor } from "./world/redact.ts";

const needed = ["--base-url", "http://127.0.0.1:4000/", "--client-id", "me", "--client-secret", "mine"];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gangway-conformance-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.concurrent("the command", () => {
  test("exits with 0 when every reached published clause is met, and writes both reports", async () => {
    const { code, out, report } = await runCommand({});
    expect(code).toBe(0);
    expect(out).toMatch(/Published: \d+ met, 0 not met, 5 not reached\./);
    expect(report?.results.length).toBeGreaterThan(240);
  });

  test("exits with 1 on an unmet clause, and shows the request and the answer", async () => {
    const { code, out } = await runCommand({ pairsMax: 26 });
    expect(code).toBe(1);
    expect(out).toMatch(
      /NOT MET +I\.metadata\.1 .*\n.*beyond the published limits.*\n +POST http:.*\/v1\/user_intent \(Basic\)\n/,
    );
    expect(out).toMatch(/NOT MET +I\.limits\.1 .*\n +see I\.metadata\.1\n/);
    expect(out).toMatch(/Published: \d+ met, 2 not met/);
  });

  test("exits with 2 when nothing was met", async () => {
    const server = createServer((_request, response) => response.writeHead(503).end());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const { code, out, error } = await runNode([...needed.with(1, baseUrl), "--no-sandbox"]);
      expect(out).toContain("Published: 0 met, 0 not met");
      expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining("No published clause was met") });
    } finally {
      server.close();
    }
  });

  test("exits with 2 for wrong options or no response", async () => {
    expect(await runNode([])).toMatchObject({ code: 2, error: expect.stringContaining("--base-url is missing.") });
    const silent = ["--base-url", "http://127.0.0.1:1", "--client-id", "me", "--client-secret", "mine"];
    expect(await runNode(silent)).toMatchObject({ code: 2, error: expect.stringContaining("got no answer") });
  });

  test("prints its findings even if its report can't be written", async () => {
    const service = await startBareService();
    try {
      const { baseUrl, clientId, clientSecret } = service;
      const who = ["--base-url", baseUrl, "--client-id", clientId, "--client-secret", clientSecret];
      const { code, out, error } = await runNode([...who, "--no-sandbox", "--json", join(folder, "nowhere", "r.json")]);
      expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining("nowhere") });
      expect(out).toMatch(/Published: \d+ met/);
    } finally {
      await service.stop();
    }
  });
});

describe("options", () => {
  test("unpublished names default to our service's", () => {
    const { settings, jsonFile } = readOptions(needed);
    expect(jsonFile).toBeUndefined();
    expect(settings).toMatchObject({
      ...{ baseUrl: "http://127.0.0.1:4000", authUrl: "http://127.0.0.1:4000", hasSandbox: true },
      ...{ bookPath: "/v1/routines/book", bookFields: ["name", "amount", "source_id", "destination_id"] },
    });
    const given = ["--book-fields", "a,b,c,d", "--no-sandbox", "--auth-url", "https://pages.example", "--port", "4711"];
    expect(readOptions([...needed, ...given]).settings).toMatchObject({
      ...{ bookFields: ["a", "b", "c", "d"], hasSandbox: false, authUrl: "https://pages.example", port: 4711 },
    });
  });

  test("an operator's adapter or named people replace the sandbox", () => {
    const file = join(folder, "people.json");
    const people = { approved: { ssn: "123450001" }, business: { user_id: "u1", phone: "+12025550100" } };
    writeFileSync(file, JSON.stringify(people));
    const named = [
      "--people",
      file,
      "--redirect-uri",
      "https://me.example/back",
      "--budget",
      "7300",
      "--patience",
      "20",
    ];
    expect(readOptions([...needed, ...named]).settings).toMatchObject({
      ...{ hasSandbox: false, people, redirectUri: "https://me.example/back", runMsMax: 7_300_000, patienceMs: 20_000 },
    });
    const adapter = ["--control", "http://127.0.0.1:9000"];
    expect(readOptions([...needed, ...adapter]).settings).toMatchObject({
      ...{ hasSandbox: false, controlUrl: "http://127.0.0.1:9000" },
    });
  });

  test.for([
    [["--base-url", "ftp://service.example"], "--base-url must be a URL"],
    [["--client-id", ""], "--client-id is missing."],
    [["--book-fields", "a,b,c"], "--book-fields are four names"],
    [["--port", "99999"], "--port must be a port."],
    [["--unknown"], "Unknown option"],
    [["--budget", "soon"], "--budget must be a number of seconds."],
    [["--control", "http://127.0.0.1:1", "--people", "people.json"], "Use --control or --people, not both."],
    [["--people", "README.md"], "--people: README.md can't be read: "],
    [["--people", "package.json"], "--people: package.json is wrong at its top"],
  ] as const)("%j is refused", ([parameters, sentence]) => {
    expect(() => readOptions([...needed, ...parameters])).toThrow(sentence);
  });
});

describe("clauses that couldn't be checked are neither met nor unmet", () => {
  test.for([429, 502, 503, 504])("if the service answers %i to everything", async (status) => {
    const server = createServer((_request, response) => response.writeHead(status).end());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const settings = { ...readOptions(needed).settings, baseUrl, authUrl: baseUrl, hasSandbox: false };
      const report = await runSuite(settings, { withDecisions: false });
      expect(report.results.filter(({ verdict }) => verdict !== "not reached")).toEqual([]);
    } finally {
      server.close();
    }
  });

  test.for([
    [
      "each visit that it refuses",
      ({ path }: RelayedRequest, { status }: RelayedResponse) => isVisit(path) && status >= 400,
      [
        ...["I.authorization-web-page.1", "I.authorization-web-page.2", "I.authorization-web-page.3"],
        ...["I.tokens-and-codes.4", "I.limits.7"],
      ],
    ],
    [
      "each visit with user_id",
      ({ path }: RelayedRequest) => isVisit(path) && path.includes("user_id="),
      ["I.authorization-web-page.4"],
    ],
    [
      "each new user intent",
      ({ path }: RelayedRequest, { status }: RelayedResponse) => path === "/v1/user_intent" && status < 400,
      ["I.authentication.1"],
    ],
    [
      "each read of a user",
      ({ path }: RelayedRequest) => path === "/v1/user",
      ["I.post-v1-oauth-token.2", "I.tokens-and-codes.2", "I.authentication.11"],
    ],
  ] as const)("if the service answers 503 to %s", async ([, isBusy, ids]) => {
    const service = await startBareService();
    const { stop, ...origins } = await startDistortedService({ ...service, authUrl: service.baseUrl }, [
      { editResponse: (reply, relayed) => (isBusy(relayed, reply) ? { ...reply, status: 503, text: "" } : reply) },
    ]);
    try {
      const { results } = await runSuite({ ...settingsFor(service), ...origins }, { withDecisions: false });
      const verdicts = results.filter(({ id }) => ids.some((one) => one === id)).map(({ verdict }) => verdict);
      expect(verdicts).toEqual(ids.map(() => "not reached"));
      expect(results.filter(({ verdict }) => verdict === "not met")).toEqual([]);
    } finally {
      await stop();
      await service.stop();
    }
  });

  test.for([429, 503, 504])("if the service answers %i to a token for an untrusted customer", async (status) => {
    const { results } = await runAgainstBare({ habits: { untrustedStatus: status } });
    const ids = ["I.limits.8", "I.customer-record.4", "I.get-v1-customers-{customer-id}.2"];
    const verdicts = results.filter(({ id }) => ids.includes(id)).map(({ verdict }) => verdict);
    expect(verdicts).toEqual(ids.map(() => "not reached"));
  });

  test("if no webhook reached the suite", async () => {
    const service = await startBareService();
    try {
      const reachableAt = "http://127.0.0.1:1";
      const settings = { ...settingsFor(service), patienceMs: 50, reachableAt };
      const { results } = await runSuite(settings, { withDecisions: false });
      expect(results.find(({ id }) => id === "I.events.2")).toMatchObject({
        verdict: "not reached",
        why: expect.stringContaining("--reachable-at"),
      });
      expect(results.filter(({ verdict }) => verdict === "not met")).toEqual([]);
    } finally {
      await service.stop();
    }
  });

  test("if there is no time left", async () => {
    const service = await startBareService();
    try {
      const { results } = await runSuite({ ...settingsFor(service), runMsMax: 0 }, { withDecisions: false });
      expect(results.find(({ id }) => id === "I.metadata.1")).toMatchObject({
        verdict: "not reached",
        why: "The run's time budget is used up (--budget).",
      });
    } finally {
      await service.stop();
    }
  });
});

describe("the report", () => {
  test("contains no token, code, secret, or personal number", async () => {
    const secrets: string[] = [];
    const returnsTo = (uri: string) => `${uri}/done`;
    const broken = { pairsMax: 24, codeIsSingleUse: false, takesBothIds: true, returnsTransferId: false, returnsTo };
    const service = await startBareService({ broken, onSecret: (secret) => void secrets.push(secret) });
    try {
      const report = await runSuite(settingsFor(service));
      const text = `${JSON.stringify(report)}${writeTextReport(report)}`;
      expect(text).toContain("[redacted]");
      expect(secrets.length).toBeGreaterThan(100);
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    } finally {
      await service.stop();
    }
  });

  test("doesn't show a code first seen in a URL", () => {
    const redactor = createRedactor();
    const headers = new Headers({ location: "https://partner.example/callback?code=4f1c9a7e&state=open" });
    const answer = { status: 303, headers, text: "", json: undefined };
    const exchange = { method: "POST", url: "https://service.example/visit", headers: {}, body: "", answer };
    redactor.learn(exchange);
    expect(redactor.show(exchange).answer).toBe("303 to https://partner.example/callback?code=[redacted]&state=open");
  });

  test("shows the caller and key, but no credentials", () => {
    const redactor = createRedactor();
    const headers = { authorization: "Bearer 4f1c9a7e", "idempotency-key": "my-own-key", accept: "application/json" };
    const answer = { status: 401, headers: new Headers(), text: '{"seen":"4f1c9a7e"}', json: { seen: "4f1c9a7e" } };
    const exchange = { method: "GET", url: "https://service.example/v1/user", headers, body: "", answer };
    redactor.learn(exchange);
    expect(redactor.show(exchange)).toEqual({
      request: "GET https://service.example/v1/user (Bearer, idempotency-key: my-own-key)",
      sent: "",
      answer: '401 {"seen":"[redacted]"}',
    });
  });

  test("has a stable document order", async () => {
    const [first, second] = [await runAgainstBare({ hasSandbox: false }), await runAgainstBare({ hasSandbox: false })];
    const lines = (report: Report) => report.results.map(({ id, verdict, why }) => `${id} ${verdict} ${why}`);
    expect(lines(first)).toEqual(lines(second));
    const sections = [...new Set(first.results.map(({ section }) => section))];
    expect(sections[0]).toBe("What the service does");
    expect(sections.indexOf("Versioning")).toBeLessThan(sections.indexOf("D1 Origins"));
  });
});

function isVisit(path: string): boolean {
  return path.startsWith("/login/oauth/authorize?");
}

async function runCommand(broken: Partial<BareRules>) {
  const service = await startBareService({ broken });
  const file = join(folder, `${service.clientId}.json`);
  const { bookPath, bookFields, idempotencyHeader, accountsPath } = service.settings;
  try {
    const ended = await runNode([
      ...["--base-url", service.baseUrl, "--client-id", service.clientId, "--client-secret", service.clientSecret],
      ...["--book-path", bookPath, "--book-fields", bookFields.join(","), "--json", file],
      ...["--idempotency-header", idempotencyHeader, "--accounts-path", accountsPath],
    ]);
    return { ...ended, report: JSON.parse(readFileSync(file, "utf8")) as Report };
  } finally {
    await service.stop();
  }
}

function runNode(parameters: string[]): Promise<{ code: number; out: string; error: string }> {
  const command = ["scripts/run.mjs", "lab/conformance/run.ts", ...parameters];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, command, { maxBuffer: 10_000_000 }, (_error, out, error) =>
      resolve({ code: child.exitCode ?? -1, out, error }),
    );
  });
}
