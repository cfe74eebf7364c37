import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { OutdatedPageError, readJson } from "./use-live-query.ts";

beforeEach(() => {
  vi.stubGlobal("document", { documentElement: { dataset: { person: "p-1" } } });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

async function errorAfter(status: number): Promise<unknown> {
  vi.stubGlobal("fetch", async () => new Response(null, { status }));
  return readJson("/routines/r-1/state").catch((error) => error);
}

test.each([401, 404])("an answer of %i loads the page again: its person or its payment is gone", async (status) => {
  expect(await errorAfter(status)).toBeInstanceOf(OutdatedPageError);
});

test.each([429, 500, 503])("an answer of %i is retried", async (status) => {
  const error = await errorAfter(status);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(OutdatedPageError);
});
