import { afterAll, expect, test } from "vitest";
import { startFakeServer } from "../lib/kit/testing/fake-server.ts";
import { describeRegistration, probeService } from "./registration.ts";

const service = await startFakeServer();
afterAll(service.stop);

test.each([
  [401, "as expected"],
  [403, "as expected"],
  [404, "check the path in PARTNER_SERVICE_BASE_URL"],
  [200, "a refusal (401) is expected"],
  [302, "a refusal (401) is expected"],
  [503, "the service has a problem"],
])("an address that responds with %s is reported with the likely cause", async (status, remark) => {
  service.answer((_request, response) => response.writeHead(status, { location: "/elsewhere" }).end());
  const report = await probeService(`${service.url}/api`);
  expect(report).toContain(`${service.url}/api answers: GET /v1/user without a token is ${status}`);
  expect(report).toContain(remark);
});

test("sends one request, to the address with its path, without credentials, and follows no redirect", () => {
  const [request, ...others] = service.requests.slice(-1);
  expect(request).toMatchObject({ method: "GET", path: "/api/v1/user" });
  expect(request?.headers).not.toHaveProperty("authorization");
  expect(others).toEqual([]);
  expect(service.requests).toHaveLength(6);
});

test("an address where nothing listens is reported with the reason", async () => {
  expect(await probeService("http://127.0.0.1:1")).toMatch(/^http:\/\/127\.0\.0\.1:1 does not answer \(.+\)/);
});

const registered = {
  baseUrl: "https://harbor.example",
  serviceBaseUrl: "https://api.bank.example/v2",
  serviceAuthUrl: "https://bank.example/sign-in",
  serviceName: "Other Books",
  clientId: "c-1",
  provider: "harbor",
  isSandbox: false,
};

test("lists the addresses to register under our own base address", () => {
  const text = describeRegistration(registered);
  for (const path of ["/callback\n", "/webhooks\n", "/v1/customers/{customer_id}\n"]) {
    expect(text).toContain(`https://harbor.example${path}`);
  }
  expect(text).toContain("https://bank.example/sign-in/login/oauth/authorize");
  expect(text).not.toContain("cannot reach");
});

test.each(["http://localhost:3000", "http://127.0.0.1:3000", "http://[::1]:3000"])(
  "a service elsewhere can't reach %s, but one on this machine can",
  (baseUrl) => {
    expect(describeRegistration({ ...registered, baseUrl })).toContain(`cannot reach ${baseUrl}`);
    const near = { ...registered, baseUrl, serviceBaseUrl: "http://127.0.0.1:4000" };
    expect(describeRegistration(near)).not.toContain("cannot reach");
  },
);

test("describes the configured webhook signature", () => {
  expect(describeRegistration(registered)).toContain("signed per Standard Webhooks, with the secret in PARTNER_");
  const other = describeRegistration({ ...registered, webhookSignatureHeader: "x-signature" });
  expect(other).toContain(
    "signed by an HMAC-SHA256 of the body in the header x-signature, with the secret in PARTNER_",
  );
});

test("only a sandbox that others can reach is reported as open", () => {
  const warning = "anyone who reaches https://harbor.example can sign in as the operator";
  expect(describeRegistration({ ...registered, isSandbox: true })).toContain(warning);
  expect(describeRegistration(registered)).not.toContain("PARTNER_SANDBOX");
  const local = { ...registered, isSandbox: true, baseUrl: "http://localhost:3000" };
  expect(describeRegistration(local)).not.toContain("PARTNER_SANDBOX");
});
