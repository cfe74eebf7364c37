import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { differences } from "./testing/differences/all.ts";
import type { Difference } from "./testing/differences/difference.ts";
import { startFakeService } from "./testing/fake-service.ts";
import { partnerWith } from "./testing/partner-with.ts";
import { runPaymentJourney } from "./testing/payment-journey.ts";
import { moneyPaid, serveWhole } from "./testing/whole-service.ts";

// Harbor relies only on the published interface. Each row is a service that differs from ours in one place that the interface
// leaves open. A seller is onboarded, authorized and paid there, and the money is counted at the service. If a difference makes
// payment impossible, nothing may be paid and Harbor must say why.

const fake = await startFakeService();
afterAll(fake.stop);

async function go(applied: Difference[]): Promise<number> {
  fake.clear();
  const settings = applied.flatMap((difference) => (difference.settings ? [difference.settings(fake.url)] : []));
  partnerWith(Object.assign({}, ...settings));
  const service = serveWhole(fake);
  for (const { apply } of applied) apply(service);
  const stops = applied.map((difference) => difference.stops).find((sentence) => sentence !== undefined);
  if (stops === undefined) await runPaymentJourney(service);
  else await expect(runPaymentJourney(service)).rejects.toThrow(stops);
  return moneyPaid(service);
}

test("our own service pays once", async () => void (await go([])));

const isStop = ({ stops }: Difference) => stops !== undefined;

test.each(differences.filter((difference) => !isStop(difference)))(
  "a service that $what pays once",
  async (difference) => void (await go([difference])),
);

test.each(differences.filter(isStop))("a service that $what pays nothing, and Harbor says why", async (difference) => {
  expect(await go([difference])).toBe(0);
});

test("a service that differs in every harmless way at once pays once", () =>
  go(differences.filter(({ isHarmless }) => isHarmless)).then(() => {}));

test("the interface leaves each difference open, and none is listed twice", () => {
  const text = readFileSync("docs/spec/interface.md", "utf8");
  expect(differences.filter(({ open }) => !text.includes(open)).map(({ what }) => what)).toEqual([]);
  const names = differences.map(({ what }) => what);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(60);
});
