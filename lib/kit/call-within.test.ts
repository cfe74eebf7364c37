import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { callWithin, messageWithoutData } from "./call-within.ts";

test("a call that ignores its abort signal still times out", async () => {
  let signal: AbortSignal | undefined;
  const never = callWithin(20, (call) => {
    signal = call.signal;
    return new Promise(() => {});
  });
  await expect(never).rejects.toThrow("There was no answer within 0.02 s.");
  expect(signal?.aborted).toBe(true);
});

test("a process waits for a call that holds nothing open", () => {
  const module = JSON.stringify(new URL("./call-within.ts", import.meta.url).href);
  const code = `
    const { callWithin } = await import(${module});
    console.log(await callWithin(20, () => new Promise(() => {})).catch(({ message }) => message));`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", code], { encoding: "utf8" });
  expect(printed.trim()).toBe("There was no answer within 0.02 s.");
});

test("a call that throws before it returns a promise doesn't end the process when its time is over", () => {
  const module = JSON.stringify(new URL("./call-within.ts", import.meta.url).href);
  const code = `
    const { callWithin } = await import(${module});
    await callWithin(20, () => { throw new Error("at once"); }).catch(({ message }) => console.log(message));
    await new Promise((done) => setTimeout(done, 100));
    console.log("alive");`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", code], { encoding: "utf8" });
  expect(printed.trim().split("\n")).toEqual(["at once", "alive"]);
});

test("an error message loses personal values, codes and phones, and keeps the rest", () => {
  const error = new Error("401 for Marta Quay (marta@example.com), +1 (202) 555-0123, code 123456");
  expect(messageWithoutData(error, ["Marta", "Quay", "marta@example.com"])).toBe("401 for … … (…), +…, code …");
});

test("personal values are hidden in any case, and where the message is cut", () => {
  const values = ["Grace", "O’Malley", "12 Quay Street (rear)"];
  const shouted = new Error("No match for GRACE O’MALLEY, 12 QUAY STREET (REAR)");
  expect(messageWithoutData(shouted, values)).toBe("No match for … …, …");
  expect(messageWithoutData(new Error(`${"x".repeat(493)} O’Malley`), values)).not.toContain("O’Mal");
  expect(messageWithoutData(new Error("No match for Li, seat b"), ["Li", "b", ""])).toBe("No match for …, seat b");
});
