import { expect, test } from "vitest";
import { partnerConfig } from "../config.ts";
import { readCode } from "../testing/people.ts";
import { completeSignIn } from "./complete-sign-in.ts";
import { demoPassword, listDemoPeople, seedPartnerSandbox, startDemoSignIn } from "./seed.ts";
import { startSignIn } from "./start-sign-in.ts";

test("makes sure of the demo people once, also when several processes start together", async () => {
  await Promise.all([seedPartnerSandbox(), seedPartnerSandbox(), seedPartnerSandbox()]);
  await seedPartnerSandbox();
  const people = await listDemoPeople();
  expect(people.map(({ firstName, role }) => [firstName, role])).toEqual([
    ["Olive", "operator"],
    ["Nils", "seller"],
    ["Ada", "seller"],
  ]);
  expect(people[0]?.phone).toBe(partnerConfig().businessUserPhone);
});

test("lets a demo person in with one click and a code, or with the demo password and a code", async () => {
  await seedPartnerSandbox();
  const [olive] = await listDemoPeople();
  const email = olive?.email ?? "";
  const clicked = await startDemoSignIn(email);
  expect(clicked && (await completeSignIn(clicked.key, await readCode(clicked.key))).kind).toBe("signed_in");
  const typed = await startSignIn({ email, password: demoPassword }, { clientAddress: "203.0.113.1" });
  expect(typed.kind).toBe("challenged");
});

test("lets nobody else in with one click", async () => {
  expect(await startDemoSignIn("marta@example.com")).toBeUndefined();
});
