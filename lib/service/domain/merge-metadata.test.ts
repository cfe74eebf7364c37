import { expect, test } from "vitest";
import { limits } from "../../contract/limits.ts";
import { mergeMetadata } from "./merge-metadata.ts";

const pairs = (prefix: string, count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`${prefix}${String(index).padStart(2, "0")}`, prefix]),
  );

test("the newest value of a key wins, and all pairs are kept", () => {
  expect(mergeMetadata([{ a: "1", b: "1" }, null, { b: "2" }])).toEqual({ a: "1", b: "2" });
});

test("no metadata if no intent has any", () => {
  expect(mergeMetadata([null, null])).toBeNull();
  expect(mergeMetadata([null, {}])).toEqual({});
});

test("beyond 25 pairs, the newest intent keeps all its pairs, and the oldest loses its last ones first", () => {
  const [old, middle, newest] = [pairs("a", 10), pairs("b", 5), pairs("c", 18)];
  const merged = mergeMetadata([old, middle, newest]);
  expect(merged).toEqual({ ...newest, ...middle, a00: "a", a01: "a" });
  expect(Object.keys(merged ?? {})).toHaveLength(limits.metadataPairsMax);
  expect(mergeMetadata([old, pairs("c", 25)])).toEqual(pairs("c", 25));
});

test("a key named __proto__ is a key like any other", () => {
  const merged = mergeMetadata([JSON.parse('{"__proto__":"x"}'), { a: "1" }]);
  expect(JSON.stringify(merged)).toContain('"__proto__":"x"');
});
