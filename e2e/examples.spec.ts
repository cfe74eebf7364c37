import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect } from "@playwright/test";
import type { DrillRecord } from "../lib/contract/sandbox-checks.ts";
import { basicCredentials } from "../lib/kit/basic-credentials.ts";
import { findProgram, type ProgramOfTests } from "../scripts/debian-packages.ts";
import { freePort } from "../scripts/embedded-postgres.ts";
import { endFaults, expectPassed, lastEvent, performDrill, readDrills, sandboxOf } from "./drill-report.ts";
import {
  drillsAtShop,
  followDecisions,
  officePassword,
  type ShopContext,
  signInToOffice,
  stallRequest,
  startShop,
} from "./example-shop.ts";
import { startFakeService, stepsAtFakeService } from "./example-with-fake-service.ts";
import { test } from "./journey.ts";
import { callService, demoCredentials } from "./service-api.ts";

// Each example in examples/ keeps every rule in every drill: one journey in a browser, the others over HTTP.

type Example = {
  language: string;
  programs: ProgramOfTests[];
  /** `out` stands for a temporary folder. */
  build?: string[];
  run: string[];
  /** Where a change is written first, appended to the data's path. */
  draft?: string;
  /** The file that each change replaces, appended to the data's path. */
  replaced?: string;
};
const gson = "/usr/share/java/gson.jar";
const examples: Example[] = [
  { language: "python", programs: ["python3"], run: ["python3", "-B", "shop.py"] },
  {
    language: "go",
    programs: ["go"],
    build: ["go", "build", "-o", "out/shop"],
    run: ["out/shop"],
    draft: ".new",
    replaced: "",
  },
  {
    language: "java",
    programs: ["javac", gson],
    build: ["javac", "-cp", gson, "-sourcepath", ".", "-d", "out", "Server.java"],
    run: ["java", "-cp", `out:${gson}`, "Server"],
    draft: "/webhook.json.new",
    replaced: "/webhook.json",
  },
  { language: "ruby", programs: ["ruby"], run: ["ruby", "shop.rb"], replaced: "" },
];

// These calls are recorded half a minute later, so they are judged at the end.
const slow = ["payment-unanswered", "payment-without-answer-sent-again"];
// These advance the clock by days, so that tokens expire.
const last = ["week-passes", "refresh-token-ends", "secret-rotates"];
const order = ["ordinary-day", ...slow, "", ...last];
const rankOf = ({ id }: DrillRecord) => order.indexOf(order.includes(id) ? id : "");

for (const { language, programs, build, run, draft, replaced } of examples) {
  test(`the example in ${language} keeps every rule in every drill`, async ({ browser, page, stack }) => {
    test.skip(!programs.every(findProgram), "needs Debian packages");
    const create = { authorization: demoCredentials(), method: "POST", path: "/sandbox/clients" };
    const client = await callService(stack.serviceUrl, create);
    const [clientId, clientSecret] = [String(client["client_id"]), String(client["client_secret"])];
    const callSandbox = sandboxOf(stack, basicCredentials(clientId, clientSecret));

    const folder = mkdtempSync(join(tmpdir(), "gangway-example-"));
    const cwd = resolve("examples", language);
    const inFolder = (words: string[]) => words.map((word) => word.replace(/^out(?=[/:]|$)/, folder));
    const [builder, ...parameters] = inFolder(build ?? []);
    if (builder) await promisify(execFile)(builder, parameters, { cwd });

    // After the build, during which another process could take the port.
    const shopUrl = `http://localhost:${await freePort()}`;
    const redirect_uris = [`${shopUrl}/callback`];
    await callSandbox("PUT", "/sandbox/client", { redirect_uris, customers_url: shopUrl });
    await callSandbox("PUT", "/sandbox/webhook_endpoint", { url: `${shopUrl}/webhooks` });

    const command = { words: inFolder(run), cwd, settingsFile: join(folder, "settings.json") };
    const settings = {
      ...client,
      base_url: stack.serviceUrl,
      auth_url: stack.authUrl,
      redirect_uris,
      office_password: officePassword,
      data: join(folder, "data"),
      // Drills leave calls unanswered, and a busy machine can take seconds for each.
      timeout_seconds: 5,
    };
    let stop = await startShop(command, settings);
    const fakeService = await startFakeService();
    const [office, otherSeller] = [await browser.newContext(), await browser.newContext()];
    const context: ShopContext = {
      shopUrl,
      seller: { page, request: page.request },
      office: { request: office.request },
      callSandbox,
      webhookSecret: String(client["webhook_secret"]),
      restart: async (changed) => {
        await stop();
        stop = await startShop(command, { ...settings, ...changed });
      },
    };
    try {
      await signInToOffice(context);
      const drills = await readDrills(callSandbox);
      expect(Object.keys(drillsAtShop).toSorted()).toEqual(drills.map(({ id }) => id).toSorted());
      const pending: (() => Promise<void>)[] = [];
      for (const drill of drills.toSorted((first, second) => rankOf(first) - rankOf(second))) {
        await test.step(drill.id, async () => {
          const after = await lastEvent(callSandbox);
          const manual = drillsAtShop[drill.id] ?? [];
          await performDrill(
            drill,
            callSandbox,
            manual.map((step) => (answers) => step(context, answers)),
          );
          if (slow.includes(drill.id)) pending.push(() => expectPassed(callSandbox, drill, after));
          else await expectPassed(callSandbox, drill, after);
          await endFaults(callSandbox);
        });
      }
      const stalled = stallRequest(context);
      for (const judge of pending) await judge();
      await test.step("a stalled request ends", () => stalled);
      await runChecks(stack.serviceUrl, { clientId, clientSecret });
      // After the checks, because it creates an intent without metadata.
      await test.step("decisions after authorizing", () => followDecisions(context, { request: otherSeller.request }));
      const data = join(folder, "data-at-fake-service");
      const businessUserId = String(client["business_user_id"]);
      const files = {
        data,
        draft: draft && data + draft,
        replaced: replaced === undefined ? undefined : data + replaced,
      };
      const shop = { context, seller: otherSeller.request, businessUserId, ...files };
      for (const [title, step] of stepsAtFakeService(shop, fakeService)) await test.step(title, step);
    } finally {
      for (const session of [office, otherSeller]) await session.close();
      await stop();
      await fakeService.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/** Runs the checks command, which must report every rule as kept. */
async function runChecks(serviceUrl: string, { clientId, clientSecret }: { clientId: string; clientSecret: string }) {
  const options = [`--base-url=${serviceUrl}`, `--client-id=${clientId}`, `--client-secret=${clientSecret}`];
  const command = ["scripts/run.mjs", "scripts/checks.ts", ...options, "--strict"];
  const { stdout } = await promisify(execFile)(process.execPath, command);
  expect(stdout).toContain(" 0 broken, 0 not seen, advice not taken: 0;");
}
