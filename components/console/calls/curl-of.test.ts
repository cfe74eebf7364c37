import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { curlOf } from "./make-call.ts";

// Splits the command with a real shell.
function wordsOf(command: string): string[] {
  const shell = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }; ${command}`;
  const env = { ...process.env, CLIENT_ID: "me", CLIENT_SECRET: "it's $ecret" };
  return execFileSync("sh", ["-c", shell], { env, encoding: "utf8" }).split("\0").slice(0, -1);
}

test("is one correctly quoted shell line for any input", () => {
  const body = { url: "http://a/?b='$(exit 1)`exit 2`\"\\&c" };
  const line = curlOf({ method: "PUT", path: "/sandbox/webhook_endpoint", body }, "http://127.0.0.1:4000");
  expect(line).not.toContain("\n");
  const words = wordsOf(line);
  expect(words.slice(0, 7)).toEqual([
    "-sS",
    "-u",
    "me:it's $ecret",
    "-X",
    "PUT",
    "-H",
    "content-type: application/json",
  ]);
  expect(words[7]).toBe("-d");
  expect(JSON.parse(words[8] ?? "")).toEqual(body);
  expect(words[9]).toBe("http://127.0.0.1:4000/sandbox/webhook_endpoint");
});

test("a GET has no method option and no body", () => {
  expect(wordsOf(curlOf({ method: "GET", path: "/sandbox/clock/due?seconds=5" }, "http://h"))).toEqual([
    ...["-sS", "-u", "me:it's $ecret", "http://h/sandbox/clock/due?seconds=5"],
  ]);
});
