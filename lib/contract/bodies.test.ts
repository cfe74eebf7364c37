import { expect, test } from "vitest";
import { bodies } from "./bodies.ts";
import money from "./examples/money.json" with { type: "json" };
import operator from "./examples/operator.json" with { type: "json" };
import people from "./examples/people.json" with { type: "json" };
import sandbox from "./examples/sandbox.json" with { type: "json" };
import tokens from "./examples/tokens.json" with { type: "json" };
import webhooks from "./examples/webhooks.json" with { type: "json" };
import { webhookEvent, webhookTypes } from "./webhooks.ts";

test.each(Object.entries(bodies))("the example of %s matches its schema, which keeps every field", (_name, body) => {
  expect(body.schema.parse(body.example)).toEqual(body.example);
});

test("every example belongs to a body", () => {
  const names = [people, tokens, money, sandbox, operator].flatMap((examples) => Object.keys(examples));
  expect([...names, "WebhookEvent"].sort()).toEqual(Object.keys(bodies).sort());
});

test("every webhook type has an example", () => {
  for (const [type, example] of Object.entries(webhooks)) expect(webhookEvent.parse(example).webhook_type).toBe(type);
  expect(Object.keys(webhooks).sort()).toEqual([...webhookTypes].sort());
});
