import { expect, test } from "vitest";
import { addressSetting, originSetting } from "./environment.ts";

test("an app's address becomes its origin; another program's keeps its path", () => {
  expect(originSetting.parse("HTTP://127.0.0.1:4000/")).toBe("http://127.0.0.1:4000");
  expect(addressSetting.parse("https://api.example.com:443/bank/")).toBe("https://api.example.com/bank");
});

test.each([
  "api.example.com",
  "api.example.com:443",
  "localhost:4000",
  "ftp://api.example.com",
  "mailto:ana@example.com",
  "javascript:alert(1)",
])("refuses %s as an address", (address) => {
  for (const setting of [originSetting, addressSetting]) {
    expect(setting.safeParse(address).error?.issues[0]?.message).toContain("must be an address like http");
  }
});
