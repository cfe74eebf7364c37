import { afterEach, expect, test, vi } from "vitest";
import { makeCall, refusalText } from "./make-call.ts";

afterEach(() => vi.unstubAllGlobals());

const call = { method: "POST", path: "/sandbox/clock/reset" } as const;

test.each([
  ["the console's connection breaks", async () => Promise.reject(new TypeError("fetch failed"))],
  ["the console gets no response", async () => new Response("null", { status: 504 })],
  ["the response is cut off", async () => new Response('{"now":', { status: 200 })],
  ["a proxy doesn't get one", async () => new Response("<html>Bad Gateway</html>", { status: 502 })],
])("no response when %s", async (_, fetch) => {
  vi.stubGlobal("fetch", fetch);
  expect(await makeCall(call, "shop")).toEqual({ status: null });
});

test("returns the answer as received, including a customer endpoint failure", async () => {
  const body = { reason: "customer_endpoint_failed", description: "Your customer endpoint did not answer." };
  vi.stubGlobal("fetch", async () => Response.json(body, { status: 502 }));
  expect(await makeCall(call, "shop")).toEqual({ status: 502, body });
  expect(refusalText(body)).toBe("Your customer endpoint did not answer.");
  expect(refusalText({ errors: [{ field: "amount", message: "Is wrong." }] })).toBe("amount: Is wrong.");
});

test.each([
  [429, "Please wait a second.\n", "Please wait a second."],
  [413, "x".repeat(5_000), "x".repeat(200)],
  [404, "<!doctype html><title>Not Found</title>", ""],
])("keeps the status of a %i that isn't JSON", async (status, text, description) => {
  vi.stubGlobal("fetch", async () => new Response(text, { status, headers: { "content-type": "text/plain" } }));
  expect(await makeCall(call, "shop")).toEqual({ status, body: { description } });
});
