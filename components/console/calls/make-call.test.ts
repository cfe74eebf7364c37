import { afterEach, expect, test, vi } from "vitest";
import { makeCall, refusalText } from "./make-call.ts";

afterEach(() => vi.unstubAllGlobals());

const call = { method: "POST", path: "/sandbox/clock/reset" } as const;

test.each([
  ["the console's connection breaks", async () => Promise.reject(new TypeError("fetch failed"))],
  ["the console gets no response", async () => new Response("null", { status: 504 })],
  ["the response is cut off", async () => new Response('{"now":', { status: 200 })],
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
