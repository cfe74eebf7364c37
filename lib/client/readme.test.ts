import { strict } from "node:assert";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { afterAll, beforeEach, expect, test } from "vitest";
import money from "../contract/examples/money.json" with { type: "json" };
import people from "../contract/examples/people.json" with { type: "json" };
import { signatureHeaders } from "../contract/webhooks.ts";
import { startFakeService } from "../partner/testing/fake-service.ts";
import { userRecordOf } from "../partner/testing/records.ts";
import * as published from "./index.ts";

// The README's examples run unchanged.

const service = await startFakeService();
afterAll(service.stop);
beforeEach(() => service.clear());

const markdown = readFileSync("lib/client/README.md", "utf8");
const examples = [...markdown.matchAll(/^## (\d+\. .+?)\n([\s\S]*?)(?=^## |$(?![\s\S]))/gm)].flatMap(
  ([, title = "", section = ""]) =>
    [...section.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => ({ title, code })),
);

test("has fourteen examples, the first of at most ten lines", () => {
  expect(examples).toHaveLength(14);
  expect(examples[0]?.code.trim().split("\n").length).toBeLessThanOrEqual(10);
});

test.each(examples)("$title", async ({ code }) => {
  const settings = { baseUrl: service.url, clientId: "harbor", clientSecret: "secret", provider: "harbor" };
  const body = JSON.stringify({ webhook_type: "user_updated", webhook_id: "w-1", user_id: "u-1", resource_id: "u-1" });
  const sent = { webhookId: "w-1", sentAtSeconds: Math.floor(Date.now() / 1000), body };
  const scope = {
    ...published,
    strict,
    service,
    client: published.createClient(settings),
    person: people.UserIntentCreation,
    payment: money.BookRoutineCreation,
    user: userRecordOf(),
    delivery: { body, headers: new Headers(signatureHeaders(sent, ["whsec_c2VjcmV0"])) },
  };
  const withoutImports = code.replaceAll(/^import .* from "@gangway\/client";$/gm, "");
  const run = new Function(...Object.keys(scope), `return (async () => {${stripTypeScriptTypes(withoutImports)}})()`);
  await run(...Object.values(scope));
});
