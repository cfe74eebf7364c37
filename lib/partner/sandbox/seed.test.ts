import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { completeSignIn } from "../people/complete-sign-in.ts";
import { startSignIn } from "../people/start-sign-in.ts";
import { partner } from "../process-partner.ts";
import { findPersonWithPassword } from "../storage/people.ts";
import { setClockAhead } from "../testing/clock.ts";
import { createPerson, readCode } from "../testing/people.ts";
import { demoPassword, listDemoPeople, refuseSandboxData, seedPartnerSandbox, startDemoSignIn } from "./seed.ts";

const source = { clientAddress: "203.0.113.1", knownDevices: [] };

test("accepts a database of real people outside a sandbox, but not one whose clock was moved", async () => {
  await createPerson();
  await refuseSandboxData(partner());
  await setClockAhead("1 second");
  await expect(refuseSandboxData(partner())).rejects.toThrow("a moved clock");
  await setClockAhead("0");
});

test("creates the demo people once, even when several processes start together", async () => {
  await Promise.all([seedPartnerSandbox(partner()), seedPartnerSandbox(partner()), seedPartnerSandbox(partner())]);
  await seedPartnerSandbox(partner());
  const people = await listDemoPeople(partner());
  expect(people.map(({ firstName, role }) => [firstName, role])).toEqual([
    ["Olive", "operator"],
    ["Nils", "seller"],
    ["Ada", "seller"],
  ]);
  const operator = await findPersonWithPassword(partner().db, people[0]?.email ?? "");
  expect(operator?.phone).toBe(partner().config.businessUserPhone);
});

test("lets a demo person in with one click and a code, or with the demo password and a code", async () => {
  await seedPartnerSandbox(partner());
  const [olive] = await listDemoPeople(partner());
  const email = olive?.email ?? "";
  const clicked = await startDemoSignIn(partner(), email);
  expect(clicked && (await completeSignIn(partner(), clicked.key, await readCode(clicked.key), source)).kind).toBe(
    "signed_in",
  );
  const typed = await startSignIn(partner(), { email, password: demoPassword }, source);
  expect(typed.kind).toBe("challenged");
});

test("signs no one else in with one click", async () => {
  expect(await startDemoSignIn(partner(), "marta@example.com")).toBeUndefined();
});

test("no process role outside a sandbox starts on the demo's database", async () => {
  await seedPartnerSandbox(partner());
  // The check for a build comes first; a fake build passes it.
  const build = mkdtempSync(join(tmpdir(), "gangway-build-"));
  onTestFinished(() => rmSync(build, { recursive: true }));
  writeFileSync(join(build, "BUILD_ID"), "");
  const environment = {
    ...process.env,
    NEXT_DIST_DIR: build,
    PARTNER_SANDBOX: "off",
    PROVIDERS: resolve("deploy/providers.example.ts"),
    PARTNER_CLIENT_ID: "harbor",
    PARTNER_CLIENT_SECRET: "own client secret",
    PARTNER_CUSTOMER_ENDPOINT_SECRET: "own endpoint secret",
    PARTNER_WEBHOOK_SECRET: `whsec_${randomBytes(24).toString("base64")}`,
    PARTNER_ENCRYPTION_KEYS: `own-1:${randomBytes(32).toString("base64")}`,
    PARTNER_SESSION_SECRET: randomBytes(32).toString("hex"),
    NODE_ENV: "production" as const,
    LOG_LEVEL: "silent",
  };
  const started = (role: string) =>
    promisify(execFile)(process.execPath, ["scripts/run.mjs", "server.ts"], {
      env: { ...environment, ROLES: role },
      timeout: 120_000,
    });
  for (const role of ["partner", "partner-worker"]) {
    await expect(started(role)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/refuses a database that has served a sandbox.*olive\.marsh@harbor\.example/),
    });
  }
});
