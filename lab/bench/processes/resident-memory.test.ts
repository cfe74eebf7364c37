import { expect, test } from "vitest";
import { residentTotalMb } from "./resident-memory.ts";

const statusOf = (anonKb: number, fileKb: number, shmemKb: number) =>
  `Name:\tnode\nVmRSS:\t  999999 kB\nRssAnon:\t  ${anonKb} kB\nRssFile:\t   ${fileKb} kB\nRssShmem:\t  ${shmemKb} kB\n`;

test("private memory is summed, and the shared binary counts once", () => {
  expect(residentTotalMb([statusOf(80 * 1024, 50 * 1024, 0)])).toBe(130);
  expect(residentTotalMb([statusOf(80 * 1024, 50 * 1024, 1024), statusOf(60 * 1024, 52 * 1024, 0)])).toBe(193);
});

test("an exited process, or a system without /proc, gives NaN", () => {
  expect(residentTotalMb([statusOf(80 * 1024, 50 * 1024, 0), ""])).toBeNaN();
});
