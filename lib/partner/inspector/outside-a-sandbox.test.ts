import { randomBytes } from "node:crypto";
import { afterAll, expect, test, vi } from "vitest";
import { newTraceId } from "../../kit/trace.ts";
import { startFakeService } from "../testing/fake-service.ts";
import { createPerson } from "../testing/people.ts";

// The guarantee: outside a sandbox there is no inspector. Nothing is recorded, the route does not exist, the page holds nothing.

const fake = await startFakeService();
afterAll(fake.stop);

const own = {
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
])("with the sandbox %s the inspector is there: %s", async (sandbox, isThere) => {
  const person = await createPerson();
  for (const [name, value] of Object.entries(sandbox === "off" ? own : {})) vi.stubEnv(name, value);
  vi.resetModules();
  Reflect.deleteProperty(globalThis, Symbol.for("gangway.partner.client"));
  try {
    const { withinAction } = await import("../requests/current-action.ts");
    const { service } = await import("../service.ts");
    const { keepEntry } = await import("./keep-entry.ts");
    const { readEntries } = await import("./read-inspector.ts");
    const { partnerConfig } = await import("../config.ts");
    expect(partnerConfig().isSandbox).toBe(isThere);

    await withinAction({ traceId: newTraceId(), cause: "GET /", personId: person.id }, () => service().readUser("a"));
    const details = {
      kind: "webhook",
      method: "POST",
      path: "/webhooks",
      outcome: "accepted",
      problems: [],
      request: { headers: {} },
    } as const;
    keepEntry({
      traceId: newTraceId(),
      at: new Date(),
      details: { ...details, problems: [] },
      reader: { personId: person.id },
    });
    const kept = async () => (await readEntries(person.id)).entries.length;
    if (isThere) await expect.poll(kept).toBe(2);
    else await expectNothingWritten(kept);

    if (isThere) return;
    const { GET } = await import("../../../app/(partner)/api/sandbox/inspector/route.ts");
    expect((await GET(new Request("http://localhost:3000/api/sandbox/inspector"))).status).toBe(404);
    const { Inspector } = await import("../../../components/partner/inspector/inspector.tsx");
    expect(await Inspector()).toBeNull();
  } finally {
    vi.unstubAllEnvs();
  }
});

/** Whatever is to be written is written in the turns after it was handed over, and in the order of the statements. */
async function expectNothingWritten(kept: () => Promise<number>): Promise<void> {
  for (let looks = 0; looks < 20; looks++) expect(await kept()).toBe(0);
}
