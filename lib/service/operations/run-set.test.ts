import { expect, test } from "vitest";
import { untilSettled } from "./run-set.ts";

test.each(["busy", "idempotency_in_progress"])("%s is retried until it's settled", async (kind) => {
  const outcomes = [{ kind }, { kind }, { kind: "done" }];
  expect(await untilSettled(async () => outcomes.shift() ?? { kind: "asked again" })).toEqual({ kind: "done" });
});
