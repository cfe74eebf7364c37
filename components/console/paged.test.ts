import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { limits } from "#lib/contract/limits.ts";
import { Keys } from "./pages/keys.tsx";

const key = {
  ...{ key: "k", fingerprint: "f", operation: "createBookRoutine", user_id: null, resource_id: null },
  ...{ created_at: "2026-01-31T09:30:00Z", voided_at: null },
};

/** Without the page's frame, which needs a router. */
function render(count: number): string {
  const keys = { idempotency_keys: Array.from({ length: count }, (_, index) => ({ ...key, key: String(index) })) };
  return renderToStaticMarkup(Keys({ keys, query: new URLSearchParams(), lastEvent: undefined }).props.children);
}

test("a list as long as the service's longest isn't counted as the whole", () => {
  expect(render(limits.pageSizeMax)).toContain(">1 to 25 of the newest 100<");
  expect(render(limits.pageSizeMax - 1)).toContain(">1 to 25 of 99<");
});
