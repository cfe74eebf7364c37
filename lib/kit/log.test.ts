import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setImmediate as nextLoopTick } from "node:timers/promises";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { hideInLog, log } from "./log.ts";

const folder = mkdtempSync(join(tmpdir(), "gangway-log-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "test.log");
process.env["LOG_FILE"] = file;
process.env["LOG_LEVEL"] = "info";

test("secrets and personal data do not reach a log line, one, two or three levels deep", async () => {
  hideInLog(["ssn", "phone", "email"]);
  log().info(
    {
      ssn: "canary-1",
      body: { access_token: "canary-2", person: { phone: "canary-3", email: "canary-4" } },
      headers: { authorization: "canary-5", cookie: "canary-6" },
      requestId: "kept",
    },
    "a request",
  );
  await nextLoopTick();
  const line = readFileSync(file, "utf8");
  expect(line).not.toContain("canary");
  expect(line).toContain("kept");
});

test("fields can be hidden after the first line, and others stay hidden", async () => {
  log().info({ shoeSize: "seen" });
  hideInLog(["shoeSize"]);
  log().info({ shoeSize: "canary-7", ssn: "canary-8", secret: "canary-9" });
  await nextLoopTick();
  const lines = readFileSync(file, "utf8");
  expect(lines).toContain("seen");
  expect(lines).not.toContain("canary");
});

test("an error is logged with its name and message, and its frames", () => {
  log().error({ error: new TypeError("what went wrong"), description: "text stays" }, "it failed");
  log().error({ error: "a text" });
  const lines = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .slice(-2)
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { error: { name: "TypeError", message: "what went wrong", frames: expect.any(Array) }, description: "text stays" },
    { error: "a text" },
  ]);
});

test("a warning is flushed immediately, with all earlier lines", () => {
  log().info("first");
  log().warn("second");
  expect(messagesIn(file).slice(-2)).toEqual(["first", "second"]);
});

test.each([
  ["ends by itself", ""],
  ["exits", "process.exit(0);"],
  ["fails", "throw new Error('unexpected');"],
])("nothing is lost when a process %s in the same tick", (name, ending) => {
  const path = join(folder, `${name}.log`);
  const program = `const { log } = await import("./lib/kit/log.ts"); log().info("the last line"); ${ending}`;
  const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    env: { ...process.env, LOG_FILE: path, LOG_LEVEL: "info" },
    encoding: "utf8",
  });
  expect(messagesIn(path), stderr).toEqual(["the last line"]);
});

describe("a process whose log is blocked", () => {
  // About 2 MB, more than any pipe holds.
  const logMany =
    "for (let i = 0; i < 200; i++) { for (let j = 0; j < 50; j++) log().info('x'.repeat(150)); await nextLoopTick(); }";

  test("keeps running while its standard output is not read, and then logs how many lines it dropped", async () => {
    const { child, nextMessage } = startChild(
      `${logMany} process.send(droppedLogLines()); await once(process, "message");`,
    );
    const dropped = Number(await nextMessage());
    expect(dropped).toBeGreaterThan(1000);
    const messages = readMessages(child);
    await expect.poll(() => messages.at(-1)).toBe("log lines were dropped");
    // Each line is complete, or counted.
    expect(messages).toHaveLength(200 * 50 - dropped + 1);
    child.send("end");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test("keeps running when its standard output is a full disk, without errors for writers", async () => {
    const full = existsSync("/dev/full") ? openSync("/dev/full", "w") : openSync(devNull, "r");
    const program = `${logMany} log().error("e"); console.log("c"); console.error("c"); await nextLoopTick(); process.send(droppedLogLines());`;
    const { child, nextMessage } = startChild(program, [full, full]);
    closeSync(full);
    const isOver = once(child, "exit");
    expect(Number(await nextMessage())).toBeGreaterThan(1000);
    expect(await isOver).toEqual([0, null]);
  });

  test("exits in time even if its last lines are not read", async () => {
    const { child } = startChild(`${logMany} process.exit(7);`);
    expect(await once(child, "exit")).toEqual([7, null]);
  });

  test.each(["process.exit(1);", "throw new Error('unexpected');"])(
    "loses nothing to a slow reader before %s",
    async (end) => {
      // More than a pipe holds, in one tick.
      const lines = "for (let i = 0; i < 1500; i++) log().info('x'.repeat(100)); log().fatal('the last line');";
      const { child } = startChild(`${lines} ${end}`, ["pipe", "ignore"]);
      const messages = readMessages(child);
      await once(child, "close");
      expect(messages).toHaveLength(1501);
      expect(messages.at(-1)).toBe("the last line");
    },
  );
});

function startChild(
  program: string,
  [stdout, stderr]: ("pipe" | "inherit" | "ignore" | number)[] = ["pipe", "inherit"],
) {
  const imports = `
    import { once } from "node:events";
    import { setImmediate as nextLoopTick } from "node:timers/promises";
    const { droppedLogLines, log } = await import("./lib/kit/log.ts");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", `${imports} ${program} process.disconnect();`], {
    env: { ...process.env, LOG_FILE: "", LOG_LEVEL: "info" },
    stdio: ["ignore", stdout ?? "pipe", stderr ?? "inherit", "ipc"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const nextMessage = async () => (await once(child, "message"))[0] as unknown;
  return { child, nextMessage };
}

/** The child's log messages from now on. */
function readMessages({ stdout }: ChildProcess): unknown[] {
  const messages: unknown[] = [];
  if (stdout) createInterface(stdout).on("line", (line) => messages.push((JSON.parse(line) as { msg?: unknown }).msg));
  return messages;
}

function messagesIn(path: string): unknown[] {
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => (JSON.parse(line) as { msg?: unknown }).msg);
}
