import { expect, test } from "vitest";
import { entriesOf, findEntries } from "./palette-entries.ts";

const id = "0198c0de-0000-7000-8000-000000000001";
const loaded = entriesOf({
  people: [{ join: `user:${id}`, name: "Marta Quay", status: "approved" }],
  drills: [{ id: "webhook-lost", title: "A webhook is lost" }],
});
const search = (text: string) => `/console?q=${text}`;
const hrefs = (typed: string) => findEntries(loaded, typed).map(({ href }) => href);

test.each([
  ["clock", ["/console/clock", search("clock")]],
  ["quay mar", [`/console?join=user%3A${id}`, search("quay+mar")]],
  ["c0de-0000", [`/console?join=user%3A${id}`, search("c0de-0000")]],
  ["DRILL lost", ["/console/drills/webhook-lost", search("DRILL+lost")]],
  ["no such thing", [search("no+such+thing")]],
])("%s finds its entries and a timeline search", (typed, expected) => {
  expect(hrefs(typed)).toEqual(expected);
});

test("an empty query lists the pages", () => {
  expect(hrefs(" ")).toContain("/console/checks");
  expect(hrefs("")).toHaveLength(12);
});
