import { expect, test } from "vitest";
import { runSidesDrill } from "./restore-sides.ts";

test("neither side that is restored to an earlier moment has anything paid twice, and what it forgot is shown as that", async () => {
  expect(await runSidesDrill({ say: () => undefined })).toEqual({ paidTwice: [], wrong: [], payments: 5 });
}, 120_000);
