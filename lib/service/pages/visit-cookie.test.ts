import { expect, test } from "vitest";

// Before the settings are read.
process.env["SERVICE_AUTH_URL"] = "https://pages.example";
const { visitCookieHeader, visitPath } = await import("./visit-cookie.ts");

test("on https a visit's cookie is bound to its host and sent encrypted only", () => {
  const [nameAndValue, ...attributes] = visitCookieHeader("0199", "gwv_secret").split("; ");
  expect(nameAndValue).toBe("__Host-visit-0199=gwv_secret");
  expect(attributes).toEqual(["Path=/", "Secure", "Max-Age=14400", "HttpOnly", "SameSite=Lax"]);
});

test("no visit id can leave the path of the authorization pages", () => {
  expect(visitPath("../../x?y#z")).toBe("/login/oauth/authorize/..%2F..%2Fx%3Fy%23z");
});
