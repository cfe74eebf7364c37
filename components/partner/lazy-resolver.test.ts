import type { Resolver } from "react-hook-form";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { lazyResolver } from "./lazy-resolver.ts";

const schema = z.object({ name: z.string().check(z.minLength(1, "Enter a name.")) });
type Input = z.input<typeof schema>;

const options: Parameters<Resolver<Input, unknown, Input>>[2] = { fields: {}, shouldUseNativeValidation: undefined };
const wrong = { values: {}, errors: { name: { message: "Enter a name." } } };

test("the schema is loaded once, and not before it is needed", async () => {
  let loads = 0;
  const lazy = lazyResolver(async () => {
    loads += 1;
    return schema;
  });
  expect(loads).toBe(0);
  expect(await Promise.all([lazy.load(), lazy.load()])).toEqual([true, true]);
  expect(await lazy.resolver({ name: "" }, undefined, options)).toMatchObject(wrong);
  expect(await lazy.resolver({ name: "Marta" }, undefined, options)).toEqual({ values: { name: "Marta" }, errors: {} });
  expect(loads).toBe(1);
});

test("checking a form loads the schema", async () => {
  const lazy = lazyResolver(async () => schema);
  expect(await lazy.resolver({ name: "" }, undefined, options)).toMatchObject(wrong);
});

test("a schema that fails to load reports no errors and is reloaded", async () => {
  let isOffline = true;
  const lazy = lazyResolver(async () => {
    if (isOffline) throw new Error("offline");
    return schema;
  });
  expect(await lazy.load()).toBe(false);
  expect(await lazy.resolver({ name: "" }, undefined, options)).toEqual({ values: {}, errors: {} });
  isOffline = false;
  expect(await lazy.load()).toBe(true);
  expect(await lazy.resolver({ name: "" }, undefined, options)).toMatchObject(wrong);
});
