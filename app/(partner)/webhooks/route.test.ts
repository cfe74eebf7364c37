import { expect, test } from "vitest";
import { signatureHeaders } from "#lib/contract/webhooks.ts";
import { newId } from "#lib/kit/ids.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { POST } from "./route.ts";

async function deliver(body: string, secrets = partner().config.webhookSecrets, webhookId = newId()): Promise<number> {
  const headers = signatureHeaders({ webhookId, sentAtSeconds: Math.floor(Date.now() / 1000), body }, secrets);
  const response = await POST(new Request("http://localhost/webhooks", { method: "POST", body, headers }));
  expect(response.headers.get("cache-control")).toBe("no-store");
  return response.status;
}

test("only a stored event gets a success: 202 the first time, then 200", async () => {
  const webhookId = newId();
  const body = JSON.stringify({ webhook_type: "user_updated", webhook_id: webhookId, user_id: "u", resource_id: "u" });
  expect(await deliver(body, undefined, webhookId)).toBe(202);
  expect(await deliver(body, undefined, webhookId)).toBe(200);
  expect(await deliver(body, ["whsec_b3RoZXItc2VjcmV0LW9mLXNvbWVib2R5"])).toBe(401);
  expect(await deliver("hello")).toBe(400);
  expect(await deliver("x".repeat(65_537))).toBe(413);
  const { rows } = await partner().pool.query("select webhook_id, duplicates from webhook_receipts");
  expect(rows).toEqual([{ webhook_id: webhookId, duplicates: 1 }]);
});
