import { strict } from "node:assert";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { afterAll, beforeEach, expect, test } from "vitest";
import money from "../../contract/examples/money.json" with { type: "json" };
import people from "../../contract/examples/people.json" with { type: "json" };
import { startFakeService } from "../testing/fake-service.ts";
import { createServiceClient } from "./create-service-client.ts";

// The examples of the README run as they stand there.

const service = await startFakeService();
afterAll(service.stop);
beforeEach(() => service.clear());

const markdown = readFileSync("lib/partner/service-client/README.md", "utf8");
const examples = [...markdown.matchAll(/^## (\d+\. .+?)\n[\s\S]*?```ts\n([\s\S]*?)```/gm)].map(
  ([, title = "", code = ""]) => ({ title, code }),
);

test("there are ten", () =>
  expect(examples.map(({ title }) => Number.parseInt(title, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));

test.each(examples)("$title", async ({ code }) => {
  const settings = { baseUrl: service.url, clientId: "harbor", clientSecret: "secret", provider: "harbor" };
  const atHand = {
    strict,
    createServiceClient,
    service,
    client: createServiceClient(settings),
    person: people.UserIntentCreation,
    payment: money.BookRoutineCreation,
  };
  const run = new Function(...Object.keys(atHand), `return (async () => {${stripTypeScriptTypes(code)}})()`);
  await run(...Object.values(atHand));
});
