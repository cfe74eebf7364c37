import { expect, test } from "vitest";
import { readVisit } from "../operations/visits/read-visit.ts";
import { productionProviders, providers } from "../providers.ts";
import { createTestClient } from "../testing/clients.ts";
import { insertTestIntent } from "../testing/people.ts";
import { openTestVisit } from "../testing/visits.ts";
import { visitTools } from "./visit-tools.ts";

const { readControls, decidePerson, advanceVisitClock } = visitTools;

async function openVisitOfIntent() {
  const client = await createTestClient();
  return openTestVisit(client, await insertTestIntent(client, { status: "pending" }));
}

test("the visit's cookie allows deciding about its person and moving its client's clock", async () => {
  const key = await openVisitOfIntent();
  const before = await readControls(key);
  expect(before).toMatchObject({ secondsAhead: 0 });
  expect(before?.decisions).toContain("rejected");
  expect(await decidePerson(key, "rejected")).toBe(true);
  expect(await readVisit(key)).toMatchObject({ kind: "not_permitted", status: "rejected" });
  expect(await decidePerson(key, "approved"), "a rejection is an end").toBe(false);
  expect(await advanceVisitClock(key, 60)).toBe(true);
  expect(await readControls(key)).toMatchObject({ secondsAhead: 60, decisions: [] });
});

test("another visit's secret doesn't work", async () => {
  const [key, { visitSecret }] = [await openVisitOfIntent(), await openVisitOfIntent()];
  const foreign = { ...key, visitSecret };
  expect(await readControls(foreign)).toBeUndefined();
  expect([await decidePerson(foreign, "approved"), await advanceVisitClock(foreign, 60)]).toEqual([false, false]);
});

test("the tools don't exist outside a sandbox", () => {
  expect(productionProviders().visitTools).toBeUndefined();
  expect(providers().visitTools).toBe(visitTools);
});
