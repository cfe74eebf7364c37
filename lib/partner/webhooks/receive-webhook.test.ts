import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { signatureHeaders } from "../../contract/webhooks.ts";
import { newId } from "../../kit/ids.ts";
import { quickestMs } from "../../kit/testing/quickest.ts";
import { partner } from "../process-partner.ts";
import { claimWebhookReceipts } from "../storage/webhook-receipts.ts";
import { readWebhookBody, receiveWebhook } from "./receive-webhook.ts";

const now = () => Math.floor(Date.now() / 1000);
const otherSecret = "whsec_b3RoZXItc2VjcmV0LW9mLXNvbWVib2R5";
let webhookId: string;

beforeEach(() => {
  webhookId = newId();
});

function delivery({
  sentAtSeconds = now(),
  secrets = partner().config.webhookSecrets,
  fields = {},
}: {
  sentAtSeconds?: number;
  secrets?: string[];
  fields?: object;
} = {}) {
  const event = { webhook_type: "user_updated", webhook_id: webhookId, user_id: "u", resource_id: "u", ...fields };
  const body = JSON.stringify(event);
  return { body, headers: new Headers(signatureHeaders({ webhookId, sentAtSeconds, body }, secrets)) };
}

async function isKept(): Promise<boolean> {
  const { rows } = await partner().db.execute(sql`select 1 from webhook_receipts where webhook_id = ${webhookId}`);
  return rows.length > 0;
}

test("stores a genuine, fresh, readable, new delivery", async () => {
  const { body, headers } = delivery();
  expect(await receiveWebhook(partner(), body, headers)).toBe("accepted");
  expect(await isKept()).toBe(true);
});

test("answers within 50 ms", async () => {
  const receive = () => {
    webhookId = newId();
    const { body, headers } = delivery();
    return receiveWebhook(partner(), body, headers);
  };
  expect(await quickestMs(50, receive)).toBeLessThan(50);
});

test("of twenty concurrent deliveries of one id, exactly one is new, and the others are counted", async () => {
  const { body, headers } = delivery();
  const verdicts = await Promise.all(Array.from({ length: 20 }, () => receiveWebhook(partner(), body, headers)));
  expect(verdicts.filter((verdict) => verdict === "accepted")).toHaveLength(1);
  expect(verdicts.filter((verdict) => verdict === "duplicate")).toHaveLength(19);
  const { rows } = await partner().db.execute(
    sql`select duplicates from webhook_receipts where webhook_id = ${webhookId}`,
  );
  expect(rows).toEqual([{ duplicates: 19 }]);
});

test("accepts either of two signatures during a rotation", async () => {
  const { body, headers } = delivery({ secrets: [otherSecret, ...partner().config.webhookSecrets] });
  expect(await receiveWebhook(partner(), body, headers)).toBe("accepted");
});

// D16: a delivery signed only with the old secret may arrive after the rotation.
test("has the new and the old secret, and accepts signatures by either or both", async () => {
  const { webhookSecrets } = partner().config;
  webhookSecrets.unshift(otherSecret);
  try {
    const [current = "", old = ""] = webhookSecrets;
    for (const secrets of [[current], [old], [current, old]]) {
      webhookId = newId();
      const { body, headers } = delivery({ secrets });
      expect(await receiveWebhook(partner(), body, headers)).toBe("accepted");
    }
    webhookId = newId();
    const { body, headers } = delivery({ secrets: ["whsec_bm9ib2R5cy1zZWNyZXQ="] });
    expect(await receiveWebhook(partner(), body, headers)).toBe("not_genuine");
  } finally {
    webhookSecrets.shift();
  }
});

test("accepts unknown types and fields", async () => {
  const { body, headers } = delivery({ fields: { webhook_type: "moon_updated", phase: "full" } });
  expect(await receiveWebhook(partner(), body, headers)).toBe("accepted");
});

// Unknown events (a ping, a test, other news) get a success response; otherwise the sender retries and may disable the endpoint.
test.each([
  ["names no user and no resource", { webhook_type: "ping", user_id: undefined, resource_id: undefined }],
  ["names no type and no id", { webhook_type: undefined, webhook_id: undefined }],
  ["names a resource that no database can hold", { resource_id: "u\0" }],
  ["holds a control character in its type", { webhook_type: "user\u0007updated" }],
  ["holds other types than the published ones", { user_id: 7, resource_id: { id: "u" } }],
])("keeps a genuine body that %s", async (_what, fields) => {
  const { body, headers } = delivery({ fields });
  expect(await receiveWebhook(partner(), body, headers)).toBe("accepted");
  expect(await isKept()).toBe(true);
});

test.each([
  ["signed with another secret", () => delivery({ secrets: [otherSecret] })],
  ["six minutes old", () => delivery({ sentAtSeconds: now() - 360 })],
  ["six minutes ahead", () => delivery({ sentAtSeconds: now() + 360 })],
  ["tampered with", () => ({ ...delivery(), body: delivery().body.replace('"u"', '"v"') })],
  ["without a signature", () => ({ ...delivery(), headers: new Headers({ "webhook-id": webhookId }) })],
])("refuses, without effect, what is %s", async (_what, make) => {
  const { body, headers } = make();
  expect(await receiveWebhook(partner(), body, headers)).toBe("not_genuine");
  expect(await isKept()).toBe(false);
});

// A service that sends through a webhook provider can have two ids; both are signed.
test("uses the header's id when the body has a different one", async () => {
  const { body, headers } = delivery({ fields: { webhook_id: newId() } });
  expect(await receiveWebhook(partner(), body, headers)).toBe("accepted");
  expect(await isKept()).toBe(true);
  expect(await receiveWebhook(partner(), body, headers)).toBe("duplicate");
});

test("refuses a genuine body that isn't JSON", async () => {
  const headers = signatureHeaders({ webhookId, sentAtSeconds: now(), body: "hello" }, partner().config.webhookSecrets);
  expect(await receiveWebhook(partner(), "hello", new Headers(headers))).toBe("not_understood");
});

test("reads a body of 64 KiB, but not a byte more", async () => {
  const request = (bytes: number) =>
    new Request("http://localhost/webhooks", { method: "POST", body: "x".repeat(bytes) });
  expect((await readWebhookBody(request(65_536)))?.length).toBe(65_536);
  expect(await readWebhookBody(request(65_537))).toBeUndefined();
});

test("a delivery that has waited for very many tries doesn't stop the others", async () => {
  const { body, headers } = delivery();
  await receiveWebhook(partner(), body, headers);
  await partner().db.execute(sql`update webhook_receipts set attempts = 32767 where webhook_id = ${webhookId}`);
  const claimed = await claimWebhookReceipts(partner().db, { limit: 10_000, leaseSeconds: 60 });
  expect(claimed).toContainEqual(expect.objectContaining({ webhookId, attempts: 32767 }));
});
