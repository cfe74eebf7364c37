import { DrizzleQueryError } from "drizzle-orm";
import { expect, test } from "vitest";
import { logConsoleError, logPageError, traceIdHeader } from "./log-page-error.ts";
import { logToFile } from "./testing/log-file.ts";

const readLog = logToFile();
const failedQuery = () =>
  new DrizzleQueryError("select $1", ["marta@example.com"], new Error("invalid byte sequence for encoding"));

test("logs a page's error with its route and trace id, without addresses and parameters", () => {
  const headers = { [traceIdHeader]: "0af7651916cd43dd8448eb211c80319c", "x-gangway-app": "partner", cookie: "secret" };
  logPageError(failedQuery(), { method: "GET", route: "/(partner)/routines/page", kind: "render", headers });
  const line = readLog().at(-1);
  expect(line).toMatchObject({
    level: 50,
    msg: "a page failed",
    app: "partner",
    route: "/(partner)/routines/page",
    traceId: "0af7651916cd43dd8448eb211c80319c",
    error: { message: "invalid byte sequence for encoding", query: "select $1" },
  });
  expect(JSON.stringify(line)).not.toMatch(/marta|secret/);
});

test("logs Next's unhandled rejections without the statement's parameters", () => {
  logConsoleError("unhandledRejection:", failedQuery());
  const line = readLog().at(-1);
  expect(line).toMatchObject({ level: 50, msg: "Next reported an error", error: { query: "select $1" } });
  expect(JSON.stringify(line)).not.toContain("marta");
});
