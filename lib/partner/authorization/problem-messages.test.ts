import { expect, test } from "vitest";
import type { Unsuccessful } from "#client";
import { disconnectProblem } from "../connections/connected-users.ts";
import { problemForAnswer } from "./finish-authorization.ts";
import { startProblem } from "./start-authorization.ts";

// A message says that the service didn't answer only if no response arrived.

const silence: Unsuccessful = { kind: "unreachable", cause: "timeout", description: "" };
const unreadable: Unsuccessful = { kind: "unreadable", status: 200, ids: {}, problems: [], requestId: undefined };
function refused(status: number, reason = "unknown"): Unsuccessful {
  return { kind: "refused", status, reason, description: "", errors: [], requestId: undefined };
}
const answers = [unreadable, refused(302), refused(400), refused(401), refused(403), refused(429), refused(500)];

test("when an authorization couldn't start", () => {
  expect(startProblem(silence)).toContain("didn't answer");
  for (const answer of answers) expect(startProblem(answer)).not.toContain("didn't answer");
});

test.each([401, 409, 429, 500, 502])("a refusal with %i suggests trying again in a minute", (status) => {
  expect(startProblem(refused(status))).toContain("try again in a minute");
});

test("a permanent refusal suggests contacting us", () => {
  expect(startProblem(refused(403))).toContain("contact us");
  expect(startProblem(refused(502, "customer_endpoint_failed"))).toContain("couldn't confirm with Harbor");
});

test("when an authorization completed", () => {
  expect(problemForAnswer(silence)).toBe("unavailable");
  expect(answers.map(problemForAnswer)).toEqual([
    "not_understood",
    "not_now",
    "failed",
    "not_now",
    "failed",
    "not_now",
    "not_now",
  ]);
});

test("when ending a connection", () => {
  expect(disconnectProblem(silence)).toContain("didn't answer, so you may still be connected");
  for (const answer of answers) expect(disconnectProblem(answer)).toContain("couldn't end the connection");
});
