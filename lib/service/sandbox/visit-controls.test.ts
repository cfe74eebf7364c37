import { afterEach, expect, test } from "vitest";
import { decideVisitPerson, jumpVisitClock, readVisitControls } from "../operations/visits/control-visit.ts";
import { readVisit } from "../operations/visits/read-visit.ts";
import { chooseProviders, productionProviders } from "../providers.ts";
import { createTestClient } from "../testing/clients.ts";
import { insertTestIntent, insertTestUser } from "../testing/people.ts";
import { openTestVisit } from "../testing/visits.ts";
import { sandboxProviders } from "./providers.ts";

afterEach(() => chooseProviders(sandboxProviders));

async function openVisitOfIntent() {
  const client = await createTestClient();
  return openTestVisit(client, await insertTestIntent(client, { status: "pending" }));
}

test("who has the visit's cookie decides about its person and jumps its client's clock", async () => {
  const key = await openVisitOfIntent();
  const before = await readVisitControls(key);
  expect(before).toMatchObject({ secondsAhead: 0 });
  expect(before?.decisions).toContain("rejected");
  expect(await decideVisitPerson(key, "rejected")).toBe(true);
  expect(await readVisit(key)).toMatchObject({ kind: "not_permitted", status: "rejected" });
  expect(await decideVisitPerson(key, "approved"), "a rejection is an end").toBe(false);
  expect(await jumpVisitClock(key, 60)).toBe(true);
  expect(await readVisitControls(key)).toMatchObject({ secondsAhead: 60, decisions: [] });
});

test("nobody else does: another visit's secret opens nothing", async () => {
  const [key, { visitSecret }] = [await openVisitOfIntent(), await openVisitOfIntent()];
  const foreign = { ...key, visitSecret };
  expect(await readVisitControls(foreign)).toBeUndefined();
  expect([await decideVisitPerson(foreign, "approved"), await jumpVisitClock(foreign, 60)]).toEqual([false, false]);
});

test("outside a sandbox there is nothing to read, to decide or to jump", async () => {
  const client = await createTestClient();
  const key = await openTestVisit(client, await insertTestUser(client));
  chooseProviders(productionProviders);
  expect(await readVisitControls(key)).toBeUndefined();
  expect([await decideVisitPerson(key, "rejected"), await jumpVisitClock(key, 60)]).toEqual([false, false]);
  chooseProviders(sandboxProviders);
  expect(await readVisitControls(key)).toMatchObject({ secondsAhead: 0 });
});
