import type { Resolver } from "react-hook-form";
import { expect, test } from "vitest";
import { lateCheck } from "./late-check.ts";

type Input = { name: string };
type Output = { named: string };

const options: Parameters<Resolver<Input, unknown, Output>>[2] = { fields: {}, shouldUseNativeValidation: undefined };
const wrong = { values: {}, errors: { name: { type: "custom", message: "Enter a name." } } };
const rules: Resolver<Input, unknown, Output> = ({ name }) =>
  name === "" ? wrong : { values: { named: name }, errors: {} };

test("the rules are loaded once, and nothing is judged without them", async () => {
  let loads = 0;
  const check = lateCheck<Input, Output>(async () => {
    loads += 1;
    return rules;
  });
  expect(loads).toBe(0);
  expect(await Promise.all([check.begin(), check.begin()])).toEqual([true, true]);
  expect(await check.resolver({ name: "" }, undefined, options)).toEqual(wrong);
  expect(await check.resolver({ name: "Marta" }, undefined, options)).toEqual({
    values: { named: "Marta" },
    errors: {},
  });
  expect(loads).toBe(1);
});

test("a form that is judged before anybody began loads them too", async () => {
  const check = lateCheck<Input, Output>(async () => rules);
  expect(await check.resolver({ name: "" }, undefined, options)).toEqual(wrong);
});

test("rules that did not come are told, find nothing, and are asked for again", async () => {
  let isOffline = true;
  const check = lateCheck<Input, Output>(async () => {
    if (isOffline) throw new Error("offline");
    return rules;
  });
  expect(await check.begin()).toBe(false);
  expect(await check.resolver({ name: "" }, undefined, options)).toEqual({ values: {}, errors: {} });
  isOffline = false;
  expect(await check.begin()).toBe(true);
  expect(await check.resolver({ name: "" }, undefined, options)).toEqual(wrong);
});
