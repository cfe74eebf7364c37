import { existsSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { basicCredentials } from "../../../kit/basic-credentials.ts";
import type { HttpListener } from "../../../kit/testing/http-listener.ts";
import { logToFile } from "../../../kit/testing/log-file.ts";
import { createTestClient } from "../../testing/clients.ts";
import { startListeningService } from "../../testing/listening-service.ts";

const readLog = logToFile();
let service: HttpListener;
beforeAll(async () => {
  service = await startListeningService();
});
afterAll(() => service.stop());

/** Sends the start of a request's body, and leaves while the service waits for the rest. */
async function leaveInBody(path: string, ...headers: string[]): Promise<void> {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1").on("error", () => {});
  const head = [`POST ${path} HTTP/1.1`, "host: plainbook", "content-type: application/json", ...headers];
  socket.write([...head, "transfer-encoding: chunked", "", '5\r\n{"a":'].join("\r\n"));
  await delay(300);
  socket.destroy();
}

test.each([
  ["a client", "/v1/user_intent"],
  ["a stranger", "/v1/oauth/token"],
])("%s who leaves in the middle of a body isn't logged as a failure of the database", async (who, path) => {
  const { clientId, clientSecret } = await createTestClient();
  const credentials = `authorization: ${basicCredentials(clientId, clientSecret)}`;
  const isClient = who === "a client";
  await leaveInBody(path, ...(isClient ? [credentials] : []));
  await expect.poll(() => existsSync(process.env["LOG_FILE"] ?? "")).toBe(true);
  const isOwn = (line: Record<string, unknown>) => line["clientId"] === (isClient ? clientId : undefined);
  await expect
    .poll(() => readLog().find((line) => line["msg"] === "request" && isOwn(line)))
    .toMatchObject({ status: 400, cause: "body_cut_off" });
  expect(readLog().filter(({ level }) => Number(level) >= 40)).toEqual([]);
});
