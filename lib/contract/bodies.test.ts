import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { bodies } from "./bodies.ts";
import { webhookEvent, webhookTypes } from "./webhooks.ts";

const folder = new URL("./examples/", import.meta.url);
const eventFiles = readdirSync(folder).filter((name) => /webhook\.json$/.test(name));

test.each(Object.entries(bodies))(
  "the golden example of %s fits its schema, and the schema keeps all of it",
  (_name, body) => {
    expect(body.schema.parse(body.example)).toEqual(body.example);
  },
);

test("every example file belongs to a body", () => {
  const examples = Object.values(bodies).map(({ example }) => JSON.stringify(example));
  const strays = readdirSync(folder).filter((name) => !eventFiles.includes(name) && !examples.includes(read(name)));
  expect(strays).toEqual([]);
});

test("every type of webhook has an example", () => {
  const types = eventFiles.map((name) => webhookEvent.parse(JSON.parse(read(name))).webhook_type);
  expect(types.sort()).toEqual([...webhookTypes].sort());
});

/** The JSON of an example without its white space. */
function read(name: string): string {
  return JSON.stringify(JSON.parse(readFileSync(new URL(name, folder), "utf8")));
}
