import { expect, test } from "vitest";
import { runSidesDrill } from "./restore-sides.ts";

test("restoring either side pays nothing twice and reports what it lost", async () => {
  expect(await runSidesDrill({ say: () => undefined })).toEqual({ paidTwice: [], wrong: [], payments: 5 });
});
