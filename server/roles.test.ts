import { expect, test } from "vitest";
import { parseRoles, roles } from "./roles.ts";

test.each([
  [undefined, [...roles]],
  ["", [...roles]],
  ["all", [...roles]],
  ["service-web, partner", ["service-web", "partner"]],
])("ROLES=%s starts the roles %j", (setting, started) => expect([...parseRoles(setting)]).toEqual(started));

test.each(["worker", "partner,", "all,partner"])("ROLES=%s is refused, with the names to use", (setting) => {
  expect(() => parseRoles(setting)).toThrow(
    /^ROLES: ".*" is not a role\. Use all, or some of partner, partner-worker, /,
  );
});
