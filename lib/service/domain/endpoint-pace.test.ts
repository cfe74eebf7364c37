import { expect, test } from "vitest";
import { createEndpointPaces } from "./endpoint-pace.ts";

const paces = () => createEndpointPaces({ most: 64, endpointsMax: 2 });
const later = () => new Date(Date.now() + 1);

test("an endpoint that answers has no limit of its own", () => {
  const all = paces();
  all.speedUp("one", 10);
  expect(all.limitOf("one")).toBeUndefined();
});

test("an endpoint that failed as a whole gets one at first, twice as many with each round of prompt answers", () => {
  const all = paces();
  all.startOver("one");
  const rounds: (number | undefined)[] = [];
  for (let limit = all.limitOf("one"); limit !== undefined; limit = all.limitOf("one")) {
    rounds.push(limit);
    for (let answer = 0; answer < limit; answer++) all.speedUp("one", 10);
  }
  expect(rounds).toEqual([1, 2, 4, 8, 16, 32]);
});

test("attempts without an answer halve it once a round, and then it grows by one a round", () => {
  const all = paces();
  const sentAt = new Date(Date.now() - 10_000);
  for (let count = 0; count < 64; count++) all.slowDown("one", sentAt);
  expect(all.limitOf("one")).toBe(32);
  all.slowDown("one", later());
  expect(all.limitOf("one")).toBe(16);
  for (let answer = 0; answer < 17; answer++) all.speedUp("one", 10);
  expect(all.limitOf("one")).toBe(17);
});

test("slow answers let it grow by one a round, also below half of what was too much", () => {
  const all = paces();
  all.startOver("one");
  for (let answer = 0; answer < 3; answer++) all.speedUp("one", 5000);
  expect(all.limitOf("one")).toBe(2);
});

test("starting over remembers what was too much, whatever an attempt alone led to", () => {
  const all = paces();
  all.slowDown("one", later());
  all.startOver("one");
  all.slowDown("one", new Date(Date.now() + 10_000));
  expect(all.limitOf("one")).toBe(1);
  for (let answer = 0; answer < 64; answer++) all.speedUp("one", 10);
  expect(all.limitOf("one")).toBe(33);
});

test("the latest endpoints are remembered", () => {
  const all = paces();
  for (const clientId of ["one", "two", "one", "three"]) all.startOver(clientId);
  expect(all.clientIds()).toEqual(["one", "three"]);
});
