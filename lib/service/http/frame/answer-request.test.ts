import { describe, expect, test } from "vitest";
import { answerRequest } from "./answer-request.ts";

const request = new Request("http://127.0.0.1:4000/v1/anything");
const bug = new Error("canary: relation users does not exist");
const lostConnection = Object.assign(new Error("canary: the connection was cut"), { code: "57P01" });

describe("an unexpected error", () => {
  test.each([
    ["a bug", bug, 500, "internal_error"],
    ["a lost database", lostConnection, 503, "unavailable"],
  ])("%s: the response has no internal details", async (_what, error, status, reason) => {
    const answer = await answerRequest(request, { operation: "test" }, () => Promise.reject(error));
    const text = await answer.text();
    expect([answer.status, JSON.parse(text).reason]).toEqual([status, reason]);
    expect(text).not.toContain("canary");
    expect(Object.keys(JSON.parse(text))).toEqual(["code", "name", "description", "reason", "request_id"]);
    expect(text).toContain(String(answer.headers.get("request-id")));
    expect(answer.headers.get("retry-after")).toBe(status === 503 ? "1" : null);
  });

  test.each([
    ["a bug", bug, 500, "server_error"],
    ["a lost database", lostConnection, 503, "temporarily_unavailable"],
  ])("%s: an OAuth endpoint responds with an RFC 6749 error", async (_what, error, status, word) => {
    const answer = await answerRequest(request, { operation: "test", isOAuth: true }, () => Promise.reject(error));
    const body = await answer.json();
    expect([answer.status, body]).toEqual([status, { error: word, error_description: expect.any(String) }]);
    expect(body.error_description).not.toContain("canary");
  });
});
