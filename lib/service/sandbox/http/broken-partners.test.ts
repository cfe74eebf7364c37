import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { HttpListener } from "../../../kit/testing/http-listener.ts";
import { startListeningService } from "../../testing/listening-service.ts";
import { brokenPartners } from "../../testing/partners/broken-partners.ts";
import { live } from "../../testing/partners/live.ts";
import { Partner } from "../../testing/partners/partner.ts";
import { startWebhookSender } from "../../workers/start-workers.ts";
import { allRules } from "../checks/all-rules.ts";

// They share this process, and each must answer webhooks within a second.
vi.setConfig({ maxConcurrency: 8 });

let service: HttpListener;
let sender: { stop: () => Promise<void> };
beforeAll(async () => {
  service = await startListeningService();
  sender = startWebhookSender();
});
afterAll(async () => {
  await sender.stop();
  await service.stop();
});

test("a correct partner keeps every rule through all drills, and an hour later", async () => {
  const kept = Object.fromEntries(allRules.map(({ id }) => [id, "kept"]));
  expect(await live(Partner, service.url)).toEqual({ now: kept, anHourLater: kept });
});

describe.concurrent("a partner that breaks one rule is caught by that rule and by no other", () => {
  test.for(Object.entries(brokenPartners))("%s", async ([id, PartnerClass], { expect }) => {
    const { now, anHourLater } = await live(PartnerClass, service.url);
    const brokenRules = (states: Record<string, string>) =>
      Object.keys(states).filter((rule) => states[rule] === "broken");
    expect(brokenRules(anHourLater)).toEqual([id]);
    // Not broken yet, because a read within the hour would still heal it.
    expect(brokenRules(now)).toEqual(["lost-event-healed", "heals-without-webhooks"].includes(id) ? [] : [id]);
  });
});

test("every rule has a partner that breaks it", () => {
  expect(Object.keys(brokenPartners).toSorted()).toEqual(allRules.map(({ id }) => id).toSorted());
});
