import { afterAll, expect, test, vi } from "vitest";
import { readRequestMeters } from "../kit/request-meter.ts";
import { startFakeService } from "./testing/fake-service.ts";

const fake = await startFakeService();
afterAll(fake.stop);

// Next bundles a module several times, so a page and the worker may use different copies.
test("a retry-after that one bundle receives applies to every bundle in the process", async () => {
  fake.answer("GET /v1/user", () => ({ status: 503, headers: { "retry-after": "60" } }));
  const copies: typeof import("./process-partner.ts")["partner"][] = [];
  for (let copy = 0; copy < 2; copy++) {
    vi.resetModules();
    copies.push((await import("./process-partner.ts")).partner);
  }
  const [first, second] = copies;
  expect(first).not.toBe(second);
  for (const copy of copies) expect(await copy().client.readUser("a")).toMatchObject({ kind: "refused", status: 503 });
  expect(fake.requestsOf("GET /v1/user")).toHaveLength(1);
  // The copies share their metrics, so it's counted once.
  expect(readRequestMeters()).toContain(
    'gangway_call_duration_seconds_count{to="service",method="GET",route="/v1/user",status="5xx"} 1',
  );
});
