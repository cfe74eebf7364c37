import { expect, test } from "vitest";
import { nameOfJoin } from "../storage/events.ts";
import { addPeople, knownPeople, namesToLookUp, rememberPeople } from "./people-of-joins.ts";

const clientId = "some-client";
const token = (name: string) => ({ clientId, joins: [`token:${name}`] });
const name = (join: string) => nameOfJoin(clientId, `token:${join}`);

test("a token whose user is known is looked up once, and its next events still say whose it is", () => {
  expect(namesToLookUp([token("a"), token("a")])).toEqual([{ clientId, join: "token:a" }]);
  rememberPeople(new Map([[name("a"), ["visit:1", "user:2"]]]));
  const events = [token("a"), token("b")];
  expect(namesToLookUp(events)).toEqual([{ clientId, join: "token:b" }]);
  expect(addPeople(knownPeople(new Map(), events), token("a"))).toEqual(["token:a", "visit:1", "user:2"]);
});

test("one whose user is not known yet is looked up again", () => {
  rememberPeople(new Map([[name("minted"), ["intent:1"]]]));
  expect(namesToLookUp([token("minted")])).toHaveLength(1);
});

test("of two clients with the same name each has its own", () => {
  rememberPeople(new Map([[name("c"), ["user:1"]]]));
  const others = { clientId: "another-client", joins: ["token:c"] };
  expect(namesToLookUp([others])).toHaveLength(1);
  expect(addPeople(knownPeople(new Map(), [others]), others)).toEqual(["token:c"]);
});

test("no more than ten thousand are remembered, those learned last", () => {
  const many = Array.from({ length: 10_001 }, (_, number) => `many-${number}`);
  rememberPeople(new Map(many.map((one) => [name(one), ["user:1"]])));
  expect(namesToLookUp(many.map(token))).toEqual([{ clientId, join: "token:many-0" }]);
});
