import { afterEach, describe, expect, test, vi } from "vitest";

afterEach(() => vi.unstubAllEnvs());

async function withSetting(setting: string) {
  vi.stubEnv("PARTNER_STATUS_MEANINGS", setting);
  vi.resetModules();
  return import("./status-meaning.ts");
}

describe("without a setting", () => {
  test.each([
    ["processed", "succeeded"],
    [" COMPLETED ", "succeeded"],
    ["Settled", "succeeded"],
    ["canceled", "cancelled"],
    ["returned", "failed"],
    ["rejected", "failed"],
    // Each of them may be said of what is under way.
    ["sent", "open"],
    ["approved", "open"],
    ["executed", "open"],
    ["error", "open"],
    ["constructor", "open"],
    ["", "open"],
  ])("%j means %s", async (status, meaning) => {
    const { meaningOf } = await withSetting("");
    expect(meaningOf(status)).toBe(meaning);
  });
});

test("the setting adds words, and takes some back", async () => {
  const { meaningOf } = await withSetting("Credited:succeeded, blocked : failed,paid:open,sent-back:failed");
  expect(["CREDITED", "blocked", "paid", "Sent back", "processed"].map(meaningOf)).toEqual([
    "succeeded",
    "failed",
    "open",
    "failed",
    "succeeded",
  ]);
});

test.each(["credited", "credited:arrived", ":failed", "a:failed b:failed"])(
  "the setting %j is refused",
  async (setting) => {
    const { meaningOf } = await withSetting(setting);
    expect(() => meaningOf("x")).toThrow("PARTNER_STATUS_MEANINGS: must be words like");
  },
);

test.each([
  [null, "pending", "pending"],
  ["pending", "in_flight", "in_flight"],
  ["pending", "processed", "processed"],
  ["processed", "pending", "processed"],
  ["processed", "returned", "returned"],
  ["returned", "processed", "processed"],
  ["cancelled", "failed", "failed"],
])("after %j the status %s leaves %s", async (known, read, stands) => {
  const { laterStatus } = await withSetting("");
  expect(laterStatus(known, read)).toBe(stands);
});
