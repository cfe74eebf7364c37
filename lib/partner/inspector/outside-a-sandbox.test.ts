import { randomBytes } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { GET } from "../../../app/(partner)/api/sandbox/inspector/route.ts";
import { Inspector } from "../../../components/partner/inspector/inspector.tsx";
import { newTraceId } from "../../kit/trace.ts";
import { withinAction } from "../requests/current-action.ts";
import { startFakeService } from "../testing/fake-service.ts";
import { partnerWith } from "../testing/partner-with.ts";
import { createPerson } from "../testing/people.ts";
import { receiveWebhook } from "../webhooks/receive-webhook.ts";
import { readEntries } from "./read-inspector.ts";

// Outside a sandbox there's no inspector: nothing is recorded, the route doesn't exist, and the page doesn't contain it.

const fake = await startFakeService();
afterAll(fake.stop);

const overrides = {
  PARTNER_SANDBOX: "off",
  PARTNER_CLIENT_ID: "harbor",
  PARTNER_CLIENT_SECRET: "own client secret",
  PARTNER_CUSTOMER_ENDPOINT_SECRET: "own endpoint secret",
  PARTNER_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 7).toString("base64")}`,
  PARTNER_ENCRYPTION_KEYS: `own-1:${randomBytes(32).toString("base64")}`,
  PARTNER_SESSION_SECRET: "an own session secret of 32 characters",
};

test.each([
  ["on", true],
  ["off", false],
])("with the sandbox %s, the inspector is served: %s", async (sandbox, isThere) => {
  const person = await createPerson();
  const partner = partnerWith(sandbox === "off" ? overrides : {});
  expect(partner.config.isSandbox).toBe(isThere);

  await withinAction({ traceId: newTraceId(), cause: "GET /", personId: person.id }, () =>
    partner.client.readUser("a"),
  );
  const body = JSON.stringify({ webhook_type: "ping", user_id: person.id });
  await receiveWebhook(partner, body, new Headers());
  const kept = async () => (await readEntries(partner, person.id)).entries.length;
  if (isThere) await expect.poll(kept).toBe(2);
  else await expectNothingWritten(kept);

  if (isThere) return;
  expect((await GET(new Request("http://localhost:3000/api/sandbox/inspector"))).status).toBe(404);
  expect(await Inspector()).toBeNull();
});

/** Pending writes would happen in the next event-loop turns, in the order of their statements. */
async function expectNothingWritten(kept: () => Promise<number>): Promise<void> {
  for (let polls = 0; polls < 20; polls++) expect(await kept()).toBe(0);
}
