import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { verifyWebhook } from "#client";
import { signatureHeaders } from "../../contract/webhooks.ts";
import { newId } from "../../kit/ids.ts";
import { partnerWith } from "../testing/partner-with.ts";
import { receiveWebhook } from "./receive-webhook.ts";

// With another service's signature scheme, a delivery counts only if our secret signed its exact bytes.

const secret = "a secret of another service";
const standardSecret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;

const withHeader = (secrets = secret) =>
  partnerWith({ PARTNER_WEBHOOK_SIGNATURE_HEADER: "X-Signature", PARTNER_WEBHOOK_SECRET: secrets });
const digestOf = (body: string, by = secret) => createHmac("sha256", by).update(body).digest();
const bodyOf = (fields: object) => JSON.stringify({ webhook_type: "payment.done", resource_id: newId(), ...fields });

test.each([
  ["in hex", (body: string) => digestOf(body).toString("hex")],
  ["in hex after sha256=", (body: string) => `sha256=${digestOf(body).toString("hex")}`],
  ["in capitals", (body: string) => digestOf(body).toString("hex").toUpperCase()],
  ["in base64", (body: string) => digestOf(body).toString("base64")],
])("takes a digest %s once", async (_how, sign) => {
  const partner = withHeader();
  const body = bodyOf({ webhook_id: newId() });
  const headers = new Headers({ "x-signature": sign(body) });
  expect(await receiveWebhook(partner, body, headers)).toBe("accepted");
  expect(await receiveWebhook(partner, body, headers)).toBe("duplicate");
});

test("accepts what either secret signed during a replacement", async () => {
  const partner = withHeader(`${secret}, the one before`);
  const body = bodyOf({ webhook_id: newId() });
  const headers = new Headers({ "x-signature": digestOf(body, "the one before").toString("hex") });
  expect(await receiveWebhook(partner, body, headers)).toBe("accepted");
});

test("rejects an empty secret, which anyone could sign with", () => {
  const options = { secrets: [secret, ""], signatureHeader: "x-signature" };
  expect(() =>
    verifyWebhook("{}", new Headers({ "x-signature": digestOf("{}", "").toString("hex") }), options),
  ).toThrow("A webhook secret is empty.");
});

test("counts each delivery without an id", async () => {
  const partner = withHeader();
  const body = bodyOf({});
  const headers = new Headers({ "x-signature": digestOf(body).toString("hex") });
  expect([await receiveWebhook(partner, body, headers), await receiveWebhook(partner, body, headers)]).toEqual([
    "accepted",
    "accepted",
  ]);
});

describe("refuses", () => {
  const right = (body: string) => digestOf(body).toString("hex");
  test.each<[string, (body: string) => Record<string, string>]>([
    ["an unsigned webhook", () => ({})],
    ["an empty signature", () => ({ "x-signature": "" })],
    ["the digest of another body", () => ({ "x-signature": right("{}") })],
    ["another secret", (body) => ({ "x-signature": digestOf(body, "no secret").toString("hex") })],
    ["half a digest", (body) => ({ "x-signature": right(body).slice(0, 32) })],
    ["a digest in another header", (body) => ({ signature: right(body) })],
    [
      "what Standard Webhooks would sign with that secret",
      (body) => signatureHeaders({ webhookId: newId(), sentAtSeconds: Math.floor(Date.now() / 1000), body }, [secret]),
    ],
  ])("%s", async (_what, headersFor) => {
    const partner = withHeader();
    const body = bodyOf({ webhook_id: newId() });
    expect(await receiveWebhook(partner, body, new Headers(headersFor(body)))).toBe("not_genuine");
  });

  test("a digest where Standard Webhooks is expected", async () => {
    const partner = partnerWith({ PARTNER_WEBHOOK_SECRET: standardSecret });
    const body = bodyOf({ webhook_id: newId() });
    const headers = new Headers({ "x-signature": digestOf(body, standardSecret).toString("hex") });
    expect(await receiveWebhook(partner, body, headers)).toBe("not_genuine");
  });
});
