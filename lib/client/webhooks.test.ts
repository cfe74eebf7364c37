import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { signatureHeaders } from "../contract/webhooks.ts";
import { verifyWebhook, type WebhookSettings } from "./webhooks.ts";

// Harbor's tests cover the receiver (lib/partner/webhooks).

const [current, previous, other] = ["whsec_Y3VycmVudA==", "whsec_cHJldmlvdXM=", "whsec_b3RoZXI="];
const sentAtSeconds = 1_800_000_000;
const event = { webhook_type: "user_updated", webhook_id: "w-body", user_id: "u-1", resource_id: "u-1" };
const genuine = { kind: "genuine", webhookId: "w-1", event };
const notGenuine = (why: string) => ({ kind: "not_genuine", why });

/** Verifies a delivery that `secrets` signed, this many seconds later. */
function verify({
  secrets = [current],
  body = JSON.stringify(event),
  received = {},
  secondsLater = 0,
  settings = {},
}: {
  secrets?: string[];
  body?: string;
  received?: Record<string, string | undefined>;
  secondsLater?: number;
  settings?: Partial<WebhookSettings>;
} = {}) {
  const headers = { ...signatureHeaders({ webhookId: "w-1", sentAtSeconds, body }, secrets), ...received };
  const sent = Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined);
  const now = () => (sentAtSeconds + secondsLater) * 1000;
  return verifyWebhook(body, new Headers(sent), { secrets: [current, previous], now, ...settings });
}

describe("a Standard Webhooks delivery", () => {
  test.each([
    [-301, notGenuine("its webhook-timestamp is more than five minutes ahead")],
    [-300, genuine],
    [300.999, genuine],
    [301, notGenuine("its webhook-timestamp is more than five minutes old")],
  ])("verified %d seconds after it was sent is accepted within five minutes", (secondsLater, verdict) => {
    expect(verify({ secondsLater })).toEqual(verdict);
  });

  test("is accepted with either secret, and among other signatures", () => {
    for (const secrets of [[current], [previous], [other, previous]]) expect(verify({ secrets })).toEqual(genuine);
    expect(verify({ secrets: [other] })).toEqual(notGenuine("none of its signatures was made with this secret"));
  });

  test.each(["webhook-id", "webhook-timestamp", "webhook-signature"])("without %s isn't genuine", (name) => {
    const missing = notGenuine("the Standard Webhooks headers are missing");
    expect(verify({ received: { [name]: undefined } })).toEqual(missing);
    expect(verify({ received: { [name]: "" } })).toEqual(missing);
  });

  test.each(["soon", "-1", "1e9", "1".repeat(16)])("at the time %s isn't genuine", (time) => {
    const why = "its webhook-timestamp isn't a time in seconds";
    expect(verify({ received: { "webhook-timestamp": time } })).toEqual(notGenuine(why));
  });

  test.each([
    ["hello", { kind: "not_understood", why: "its body isn't JSON" }],
    ["7", { kind: "genuine", webhookId: "w-1", event: {} }],
    [JSON.stringify({ ...event, data: { user_id: "u-2" } }), genuine],
    [JSON.stringify({ data: event }), genuine],
  ])("with the body %s is read as far as possible", (body, verdict) => expect(verify({ body })).toEqual(verdict));
});

test("the time is the system's by default", () => {
  const body = JSON.stringify(event);
  const sent = signatureHeaders({ webhookId: "w-1", sentAtSeconds: Math.floor(Date.now() / 1000), body }, [current]);
  expect(verifyWebhook(body, new Headers(sent), { secrets: [current] })).toEqual(genuine);
});

test("without a secret nothing is genuine, and an empty one throws", () => {
  expect(verify({ settings: { secrets: [] } })).toEqual(notGenuine("no secret is set"));
  expect(() => verify({ settings: { secrets: ["whsec_"] } })).toThrow("whsec_ followed by base64");
  const settings = { secrets: [""], signatureHeader: "x-signature" };
  expect(() => verify({ settings })).toThrow("A webhook secret is empty.");
});

describe("a digest in a header", () => {
  const settings = { secrets: ["current", "previous"], signatureHeader: "x-signature" };
  const digestOf = (secret: string) => createHmac("sha256", secret).update(JSON.stringify(event)).digest();

  test.each([
    digestOf("current").toString("hex"),
    digestOf("previous").toString("hex").toUpperCase(),
    `SHA256=${digestOf("current").toString("hex")}`,
    ` ${digestOf("previous").toString("base64")} `,
  ])("of the body, %s, is enough; the id is the signed one", (digest) => {
    expect(verify({ settings, received: { "x-signature": digest } })).toEqual({ ...genuine, webhookId: "w-body" });
  });

  test("that is wrong or missing isn't genuine", () => {
    const wrong = digestOf("other").toString("hex");
    expect(verify({ settings, received: { "x-signature": wrong } })).toEqual(
      notGenuine("its signature isn't the HMAC-SHA256 of its body with this secret"),
    );
    expect(verify({ settings })).toEqual(notGenuine("the header with its signature is missing"));
  });
});
