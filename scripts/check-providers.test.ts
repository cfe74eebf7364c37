import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve as resolvePath } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { PhotoIdStorage, ProviderModule, ScreeningAnswer, SettlementAnswer } from "../lib/contract/providers.ts";
import { type FakeServer, startFakeServer } from "../lib/kit/testing/fake-server.ts";
import { checkProviders } from "./check-providers.ts";

const recipients = { phone: "+12025550123", email: "test@example.com" };
const timeouts = { sendMs: 100, askMs: 100 };

/** The rules that a module breaks. */
async function brokenBy(module: ProviderModule): Promise<string[]> {
  const findings = await checkProviders(module, recipients, timeouts);
  return findings.filter(({ problem }) => problem !== undefined).map(({ rule }) => rule);
}

const heeding = <Answer>(signal: AbortSignal, answer: Answer) => {
  signal.throwIfAborted();
  return answer;
};

const photoIdsIn = (objects: Map<string, Uint8Array>): PhotoIdStorage => ({
  put: async ({ id, content }, { signal }) => void objects.set(id, heeding(signal, content)),
  get: async ({ id }, { signal }) => heeding(signal, objects.get(id)),
  delete: async ({ id }, { signal }) => void heeding(signal, objects.delete(id)),
});

test.each<[string, ProviderModule, string[]]>([
  [
    "keeps every rule",
    { sendText: async ({ id }, { signal }) => heeding(signal, { kind: "sent", reference: id }) },
    [],
  ],
  [
    "returns an unknown outcome",
    { sendText: async () => ({ status: "ok" }) as never },
    ["sendText returns a readable result within 0.1 s"],
  ],
  ["never answers", { sendEmail: () => new Promise(() => {}) }, ["sendEmail returns a readable result within 0.1 s"]],
  [
    "sends one id twice",
    { sendText: async (_, { signal }) => heeding(signal, { kind: "sent", reference: String(Math.random()) }) },
    ["sendText processes each id once"],
  ],
  [
    "ignores its signal",
    { sendEmail: async () => ({ kind: "sent" as const }) },
    ["sendEmail stops when its signal is aborted"],
  ],
  [
    "can't be polled, and accepts any sender",
    {
      screening: {
        ask: async ({ id }, { signal }): Promise<ScreeningAnswer> =>
          heeding(signal, { kind: "pending", reference: id }),
        poll: async () => Promise.reject(new Error("no such case")),
        readCallback: async () => [],
      },
    },
    ["screening.poll returns a readable result within 0.1 s", "screening.readCallback rejects an unknown sender"],
  ],
  [
    "moves the money of one id twice, can't be polled, and accepts any sender",
    {
      settlement: {
        order: async (_, { signal }): Promise<SettlementAnswer> =>
          heeding(signal, { kind: "pending", reference: String(Math.random()) }),
        poll: async () => ({ kind: "returned" }) as never,
        readCallback: async () => [],
      },
    },
    [
      "settlement.order processes each id once",
      "settlement.poll returns a readable result within 0.1 s",
      "settlement.readCallback rejects an unknown sender",
    ],
  ],
  [
    "knows its references only by the question's id",
    {
      screening: {
        ask: async ({ id }, { signal }): Promise<ScreeningAnswer> =>
          heeding(signal, { kind: "pending", reference: `case-${id}` }),
        poll: async ({ id, reference }) => {
          if (reference !== `case-${id}`) throw new Error("no such case");
          return { kind: "approved" };
        },
      },
    },
    [],
  ],
  ["stores photo IDs", { photoIds: photoIdsIn(new Map()) }, []],
  [
    "loses photo IDs, and can't be asked to delete them twice",
    {
      photoIds: {
        ...photoIdsIn(new Map()),
        put: async (_, { signal }) => signal.throwIfAborted(),
        delete: async () => Promise.reject(new Error("no such object")),
      },
    },
    [
      "photoIds.put and photoIds.get take 0.1 s at most, and return what was stored",
      "photoIds.put can store the same id again",
      "photoIds.delete takes 0.1 s at most, and removes the photo",
      "photoIds.delete can delete the same id again",
    ],
  ],
  [
    "changes photo IDs, keeps them, and answers any id",
    {
      photoIds: {
        put: async (_, { signal }) => signal.throwIfAborted(),
        get: async (_, { signal }) => heeding(signal, new Uint8Array(1)),
        delete: async () => {},
      },
    },
    [
      "photoIds.put and photoIds.get take 0.1 s at most, and return what was stored",
      "photoIds.put can store the same id again",
      "photoIds.get returns undefined for an unknown id",
      "photoIds.delete takes 0.1 s at most, and removes the photo",
      "photoIds.delete can delete the same id again",
      "photoIds.delete stops when its signal is aborted",
    ],
  ],
])("a module that %s", async (_name, module, broken) => {
  expect(await brokenBy(module)).toEqual(broken);
});

describe("the example", () => {
  let vendor: FakeServer;
  const seen = new Map<string, string>();
  const answers = {
    first: { outcome: "in_review", state: "processing" },
    later: { outcome: "clear", state: "completed" },
  };
  beforeAll(async () => {
    vendor = await startFakeServer();
    vendor.answer(({ headers, path }, response) => {
      const key = headers["idempotency-key"]?.toString();
      // A vendor that keeps the first answer to each key.
      const id = key === undefined ? (path.split("/").at(-1) ?? "") : (seen.get(key) ?? `case-${seen.size}`);
      if (key !== undefined) seen.set(key, id);
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ id, ...(key === undefined ? answers.later : answers.first) }));
    });
  });
  afterAll(() => vendor.stop());

  test("passes the command's check, over HTTP", async () => {
    const { status, stdout, stderr } = await check(["./deploy/providers.example.ts"], {
      CARRIER_URL: vendor.url,
      SCREENING_URL: vendor.url,
      SCREENING_SECRET: "a secret",
      SETTLEMENT_URL: vendor.url,
      SETTLEMENT_SECRET: "another secret",
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout.match(/^kept {4}/gm)).toHaveLength(16);
    expect(seen.size).toBe(4);
  });

  test("an email goes to the carrier under its id; 422 refuses it for good, and any other error is retried", async () => {
    const carrier = await startFakeServer();
    onTestFinished(() => carrier.stop());
    vi.stubEnv("CARRIER_URL", carrier.url);
    vi.stubEnv("CARRIER_KEY", "the carrier's key");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { default: example } = await import("../deploy/providers.example.ts");
    const email = { id: "0199", to: "marta@example.com", subject: "Your code", text: "Your code is 123456." };
    const send = (status: number, body: object) => {
      carrier.answer((_, response) => response.writeHead(status).end(JSON.stringify(body)));
      return example.sendEmail(email, { signal: AbortSignal.timeout(5000) });
    };
    expect(await send(202, { id: "mail-7" })).toEqual({ kind: "sent", reference: "mail-7" });
    expect(await send(422, {})).toEqual({ kind: "refused", reason: "unreachable" });
    await expect(send(503, {})).rejects.toThrow("the provider answered 503");
    const { method, path, headers, body } = carrier.requests[0] ?? expect.fail("no request");
    expect([method, path, headers["idempotency-key"], headers.authorization]).toEqual([
      "POST",
      "/emails",
      "0199",
      "Bearer the carrier's key",
    ]);
    expect(JSON.parse(body)).toEqual({ to: email.to, subject: email.subject, text: email.text });
  });

  test("a payment is ordered under its id; a signed callback brings its return, and an unknown state isn't a failure", async () => {
    vi.resetModules();
    vi.stubEnv("SETTLEMENT_URL", vendor.url);
    vi.stubEnv("SETTLEMENT_SECRET", "another secret");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { default: example }: { default: ProviderModule } = await import("../deploy/providers.example.ts");
    const { settlement } = example;
    const call = { signal: AbortSignal.timeout(5000) };
    const account = { id: "a1", userId: "u1", holder: "Marta Quay", type: "wallet", mask: "0000" } as const;
    const order = {
      id: "0198",
      clientId: "c",
      amountCents: 1_200,
      source: account,
      destination: { ...account, id: "a2" },
    };
    expect(await settlement?.order(order, call)).toMatchObject({ kind: "pending" });
    const { headers, body } = vendor.requests.at(-1) ?? expect.fail("no request");
    expect(headers["idempotency-key"]).toBe("0198");
    expect(JSON.parse(body)).toEqual({ reference: "0198", amount: 1_200, from: "a1", to: "a2" });
    const results = (payment: object) => {
      const bytes = new TextEncoder().encode(JSON.stringify(payment));
      const signature = createHmac("sha256", "another secret").update(bytes).digest("hex");
      return settlement?.readCallback?.({ headers: new Headers({ "x-signature": signature }), body: bytes }, call);
    };
    expect(await results({ id: "p1", reference: "0198", state: "returned", reason: "R02" })).toEqual([
      { id: "0198", answer: { kind: "returned", reason: "account_closed" } },
    ]);
    await expect(results({ id: "p1", reference: "0198", state: "on hold" })).rejects.toThrow("unknown state");
  });
});

test("a missing module, or one that can't be loaded, exits with 2 and one sentence", async () => {
  expect(await check(["./no-such.ts"])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("can't be loaded"),
  });
  expect(await check([])).toMatchObject({ status: 2, stderr: expect.stringMatching(/^Name one module: /) });
});

test("the command ends although the module keeps a timer", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gangway-providers-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const module = `setInterval(() => {}, 1000);
  export default { sendText: async () => ({ kind: "refused", reason: "unreachable" }) };`;
  writeFileSync(join(folder, "providers.mjs"), module);
  expect(await check(["./providers.mjs"], {}, folder)).toMatchObject({ status: 1, stderr: "" });
});

test("a module's own settings come from .env too, as with `npm start`", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gangway-providers-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const module = `export default {
    sendText: async (_text, { signal }) => {
      signal.throwIfAborted();
      if (!process.env.CARRIER_KEY) throw new Error("no key");
      return { kind: "sent", reference: "text-1" };
    },
  };`;
  writeFileSync(join(folder, "providers.mjs"), module);
  writeFileSync(join(folder, ".env"), "CARRIER_KEY=own-key\n");
  expect(await check(["./providers.mjs"], {}, folder)).toMatchObject({ status: 0, stderr: "" });
});

/** Runs asynchronously, because this process may be the vendor. */
function check(words: string[], settings: Record<string, string> = {}, cwd = ".") {
  const env = { ...process.env, ...settings };
  return new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [resolvePath("scripts/providers-check.ts"), ...words],
      { env, cwd },
      (error, stdout, stderr) => resolve({ status: typeof error?.code === "number" ? error.code : 0, stdout, stderr }),
    );
  });
}
