import { expect, test } from "vitest";
import { readPartnerConfig } from "../config.ts";
import { partner } from "../process-partner.ts";
import { consoleAddress, consoleAddressOf } from "./console-address.ts";

const requestId = "0198c0de-0000-7000-8000-000000000001";
const call = {
  kind: "call",
  path: "/v1/user",
  outcome: "ok",
  requestId,
  traceId: "a".repeat(32),
  request: { headers: { authorization: "Bearer [redacted]" } },
} as const;
const webhook = { ...call, kind: "webhook", path: "/webhooks", outcome: "accepted" } as const;
const trace = `join=trace%3A${call.traceId}`;

test.each([
  ["a call", call, `q=${requestId}&${trace}`],
  ["a call without an answer", { ...call, requestId: undefined, outcome: "unknown" as const }, trace],
  ["a call of the sandbox", { ...call, path: "/sandbox/clock/advance" }, trace],
  [
    "a request for a customer",
    { ...call, kind: "answer" as const, request: { headers: {} } },
    `kind=customer&${trace}`,
  ],
  ["a webhook", { ...webhook, request: { headers: { "webhook-id": requestId } } }, `join=webhook%3A${requestId}`],
])("%s links to its step in the service's console", (_what, entry, query) => {
  expect(consoleAddressOf(partner(), entry)).toBe(`${process.env["PARTNER_SERVICE_AUTH_URL"]}/console?${query}`);
});

test.each([
  ["a call that never left", { ...call, outcome: "not_sent" as const, requestId: undefined }],
  ["a call without a credential", { ...call, request: { headers: {} } }],
  ["a webhook without an id", { ...webhook, request: { headers: {} } }],
])("%s has no link, because the service stores nothing about it", (_what, entry) => {
  expect(consoleAddressOf(partner(), entry)).toBeUndefined();
});

test.each(["none", undefined])("nothing links to a service without a console (%s)", (setting) => {
  const { PARTNER_SERVICE_FEATURES: _own, ...others } = process.env;
  const config = readPartnerConfig({ ...others, ...(setting && { PARTNER_SERVICE_FEATURES: setting }) });
  const other = { ...partner(), config };
  expect(consoleAddress(other)).toBeUndefined();
  expect(consoleAddressOf(other, call)).toBeUndefined();
});
