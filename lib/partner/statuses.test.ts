import { describe, expect, test } from "vitest";
import { laterStatus, meaningOf } from "./statuses.ts";
import { partnerWith } from "./testing/partner-with.ts";

const withSetting = (setting: string) => partnerWith({ PARTNER_STATUS_MEANINGS: setting });

describe("without a setting", () => {
  test.each([
    ["processed", "succeeded"],
    [" COMPLETED ", "succeeded"],
    ["Settled", "succeeded"],
    ["canceled", "cancelled"],
    ["returned", "failed"],
    ["rejected", "failed"],
    // Each of these may describe a pending payment.
    ["sent", "open"],
    ["approved", "open"],
    ["executed", "open"],
    ["error", "open"],
    ["constructor", "open"],
    ["", "open"],
  ])("%j means %s", (status, meaning) => {
    expect(meaningOf(withSetting(""), status)).toBe(meaning);
  });
});

test("the setting adds words, and overrides some", () => {
  const partner = withSetting("Credited:succeeded, blocked : failed,paid:open,sent-back:failed");
  expect(["CREDITED", "blocked", "paid", "Sent back", "processed"].map((status) => meaningOf(partner, status))).toEqual(
    ["succeeded", "failed", "open", "failed", "succeeded"],
  );
});

test.each(["credited", "credited:arrived", ":failed", "a:failed b:failed"])("the setting %j is refused", (setting) => {
  expect(() => withSetting(setting)).toThrow("PARTNER_STATUS_MEANINGS: must be words like");
});

test.each([
  [null, "pending", "pending"],
  ["pending", "in_flight", "in_flight"],
  ["pending", "processed", "processed"],
  ["processed", "pending", "processed"],
  ["processed", "returned", "returned"],
  ["returned", "processed", "processed"],
  ["cancelled", "failed", "failed"],
])("after %j the status %s leaves %s", (known, read, stands) => {
  expect(laterStatus(withSetting(""), known, read)).toBe(stands);
});
