import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import webhooks from "./examples/webhooks.json" with { type: "json" };
import { signatureHeaders } from "./webhooks.ts";

const event = webhooks.user_intent_updated;
const secret = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;
const otherSecret = `whsec_${Buffer.alloc(24, 2).toString("base64")}`;
const body = JSON.stringify(event);
const content = { webhookId: event.webhook_id, sentAtSeconds: Math.floor(Date.now() / 1000), body };

describe("a signed delivery", () => {
  test("is verified by the package that receivers use", () => {
    expect(new Webhook(secret).verify(body, signatureHeaders(content, [secret]))).toEqual(event);
  });

  test("is verified with either secret while one is rotated", () => {
    const headers = signatureHeaders(content, [secret, otherSecret]);
    expect(new Webhook(secret).verify(body, headers)).toEqual(event);
    expect(new Webhook(otherSecret).verify(body, headers)).toEqual(event);
  });

  test("is refused with another secret, another body or another time", () => {
    const headers = signatureHeaders(content, [secret]);
    expect(() => new Webhook(otherSecret).verify(body, headers)).toThrow();
    expect(() => new Webhook(secret).verify(body.replace("updated", "deleted"), headers)).toThrow();
    expect(() =>
      new Webhook(secret).verify(body, { ...headers, "webhook-timestamp": String(content.sentAtSeconds + 1) }),
    ).toThrow();
  });
});
