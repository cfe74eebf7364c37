import { expect, test } from "vitest";
import { nameOfJoin } from "../storage/events.ts";
import { addPeople, knownPeople, namesToLookUp, rememberPeople } from "./people-of-joins.ts";

const clientId = "some-client";
const token = (name: string) => ({ clientId, joins: [`token:${name}`] });
const name = (join: string) => nameOfJoin(clientId, `token:${join}`);

test("a token with a known user is looked up once and stays known", () => {
  expect(namesToLookUp([token("a"), token("a")])).toEqual([{ clientId, join: "token:a" }]);
  rememberPeople(new Map([[name("a"), ["visit:1", "user:2"]]]));
  const events = [token("a"), token("b")];
  expect(namesToLookUp(events)).toEqual([{ clientId, join: "token:b" }]);
  expect(addPeople(knownPeople(new Map(), events), token("a"))).toEqual(["token:a", "visit:1", "user:2"]);
});

test("a token without a known user is looked up again", () => {
  rememberPeople(new Map([[name("minted"), ["intent:1"]]]));
  expect(namesToLookUp([token("minted")])).toHaveLength(1);
});

test("names are scoped to the client", () => {
  rememberPeople(new Map([[name("c"), ["user:1"]]]));
  const others = { clientId: "another-client", joins: ["token:c"] };
  expect(namesToLookUp([others])).toHaveLength(1);
  expect(addPeople(knownPeople(new Map(), [others]), others)).toEqual(["token:c"]);
});

test("at most ten thousand are cached, evicting the oldest", () => {
  const many = Array.from({ length: 10_001 }, (_, number) => `many-${number}`);
  rememberPeople(new Map(many.map((one) => [name(one), ["user:1"]])));
  expect(namesToLookUp(many.map(token))).toEqual([{ clientId, join: "token:many-0" }]);
});
