import { readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, request as playwright } from "@playwright/test";
import { freePort } from "../scripts/embedded-postgres.ts";
import { startStack } from "../scripts/test-stack.ts";
import { signInAsByHttp } from "./http-shortcuts.ts";
import { test } from "./journey.ts";

// Needs a real Next server. No browser sends these requests.

test("with an https base URL, Next's internal requests and their cookies stay in the process", async () => {
  const postgresUrl = process.env["TEST_POSTGRES_URL"] ?? "";
  const overheard: IncomingHttpHeaders[] = [];
  const stranger = createServer((sent, response) => {
    overheard.push(sent.headers);
    response.end();
  });
  const wouldBePort = await listen(stranger);
  const port = await freePort();
  const origin = `https://localhost:${wouldBePort}`;
  const settings = { PARTNER_BASE_URL: origin, PARTNER_LISTEN: String(port) };
  const stack = await startStack({ postgresUrl, apart: false, settings });
  try {
    const headers = { host: `localhost:${wouldBePort}`, origin, cookie: "__Host-harbor-session=a-secret" };
    const answer = await post(port, "/sign-in", { ...headers, ...actionHeaders("signOut") }, noFields);
    expect(overheard).toEqual([]);
    expect(answer.headers["x-action-redirect"]).toContain("/");
    expect(answer.headers["content-type"]).toContain("text/x-component");
    // The response includes the target page, so Next requested it internally.
    expect(answer.body).not.toBe("");
  } finally {
    await stack.stop();
    stranger.close();
  }
});

test("413: an oversized body is rejected without blocking other requests", async ({ stack }) => {
  const port = Number(new URL(stack.partnerUrl).port);
  const headers = { host: new URL(stack.partnerUrl).host, "content-type": "application/x-www-form-urlencoded" };
  for (const path of ["/api/sandbox/messages", "/sign-in", "/webhooks"]) {
    expect((await post(port, path, headers, "x".repeat(20_000_000))).status, path).toBe(413);
  }
  const announced = await sendHeaders(port, "/api/sandbox/messages", { ...headers, "content-length": "260000000" });
  expect(announced).toBe(413);
  expect((await fetch(`${stack.partnerUrl}/sign-in`)).status).toBe(200);
});

test("404: an action runs only on its own pages", async ({ stack }) => {
  const postStatus = async (url: string, path: string, headers: Record<string, string>) => {
    const { host, port, origin } = new URL(url);
    return (await post(Number(port), path, { host, origin, ...headers }, "[]")).status;
  };
  const [signUp, verify] = [actionHeaders("signUp"), actionHeaders("verify")];
  const visit = "/login/oauth/authorize/0198c0de-0000-7000-8000-000000000000";
  // The action runs, and reports its missing fields.
  expect(await postStatus(stack.partnerUrl, "/sign-up", signUp)).toBe(200);
  expect(await postStatus(stack.partnerUrl, "/sign-in", signUp)).toBe(404);
  expect(await postStatus(stack.authUrl, visit, signUp)).toBe(404);
  expect(await postStatus(stack.partnerUrl, "/sign-up", verify)).toBe(404);
  expect(await postStatus(stack.partnerUrl, "/sign-up", { ...signUp, "x-action-forwarded": "1" })).toBe(400);
  expect(await postStatus(stack.authUrl, visit, { ...signUp, "x-action-forwarded": "1" })).toBe(400);
});

test("404: nothing is served under /api/auth", async ({ stack }) => {
  for (const path of ["_log", "session", "signout", "csrf"]) {
    for (const method of ["GET", "POST"]) {
      expect((await fetch(`${stack.partnerUrl}/api/auth/${path}`, { method })).status, `${method} ${path}`).toBe(404);
    }
  }
});

test("a failing page is logged without personal data, and returns 503 without its database", async () => {
  const logFile = `test-results/logs/failing-pages-${process.pid}.log`;
  rmSync(logFile, { force: true });
  const postgresUrl = process.env["TEST_POSTGRES_URL"] ?? "";
  const stack = await startStack({ postgresUrl, apart: false, settings: { LOG_FILE: logFile } });
  const operator = await playwright.newContext();
  const get = (path: string, accept = "text/html") =>
    operator.get(`${stack.partnerUrl}${path}`, { headers: { accept }, maxRedirects: 0 });
  try {
    await signInAsByHttp({ request: operator }, stack.partnerUrl, /operator/);
    expect((await get("/routines?search=%00")).status()).toBe(200);
    expect((await get("/routines/state?search=%00", "application/json")).status()).toBe(200);

    const mend = await stack.breakPaymentPages();
    await get("/routines?search=marta%40example.com");
    expect((await get("/routines/state?search=marta%40example.com", "application/json")).status()).toBe(500);
    await mend();
    const lines = readFileSync(logFile, "utf8").trim();
    expect(lines).not.toContain("marta@example.com");
    const failures = lines
      .split("\n")
      .map((line): Record<string, unknown> => JSON.parse(line))
      .filter(({ msg }) => msg === "a page failed");
    const kinds = failures.map(({ kind }) => kind);
    expect(kinds).toContain("render");
    expect(kinds).toContain("route");
    for (const failure of failures) {
      expect(failure).toMatchObject({ app: "partner", traceId: expect.stringMatching(/^[0-9a-f]{32}$/) });
    }

    const unblock = await stack.blockDatabase("partner");
    for (const path of ["/", "/routines", "/sign-in"]) {
      const response = await get(path);
      expect(response.status(), path).toBe(503);
      expect(await response.text()).toContain("We can’t show this page right now");
    }
    expect((await get("/routines/state", "application/json")).status()).toBe(503);
    await unblock();
    await expect(async () => expect((await get("/routines")).status()).toBe(200)).toPass();
  } finally {
    await operator.dispose();
    await stack.stop();
  }
});

// The previous form state, and no fields.
const noFields = JSON.stringify([{ problems: [] }, {}]);

function actionHeaders(exportedName: string): Record<string, string> {
  const manifest = JSON.parse(readFileSync(".next-test/server/server-reference-manifest.json", "utf8")) as {
    node: Record<string, { exportedName: string }>;
  };
  const id =
    Object.keys(manifest.node).find((actionId) => manifest.node[actionId]?.exportedName === exportedName) ?? "";
  return { "next-action": id, "content-type": "text/plain;charset=UTF-8", accept: "text/x-component" };
}

type Answer = { status: number | undefined; headers: IncomingHttpHeaders; body: string };

function post(port: number, path: string, headers: Record<string, string>, body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "localhost", port, path, method: "POST", headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (data) => {
        text += data;
      });
      answer.once("end", () => resolve({ status: answer.statusCode, headers: answer.headers, body: text }));
    });
    // A rejected body isn't read to the end; ignore the error after the response.
    sent.on("error", reject).end(body);
  });
}

/** Sends only headers, and returns the response status. */
function sendHeaders(port: number, path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "localhost", port, path, method: "POST", headers }, (answer) => {
      resolve(answer.statusCode);
      sent.destroy();
    });
    sent.once("error", reject).flushHeaders();
  });
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  return (server.address() as AddressInfo).port;
}
