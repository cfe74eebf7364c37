import { AppRouterContext } from "next/dist/shared/lib/app-router-context.shared-runtime.js";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { DeliveryList, DeliveryRecord } from "#lib/contract/sandbox-webhooks.ts";
import { Webhooks } from "./webhooks.tsx";

const now = "2026-01-31T09:30:00.000Z";
const id = "0199f0a2-0000-7000-8000-000000000001";
const withheld: DeliveryRecord = {
  ...{ id, webhook_type: "user_updated", resource_id: id, status: "pending", fault: "withhold", trace_id: "t" },
  body: { webhook_type: "user_updated", webhook_id: id, user_id: id, resource_id: id },
  ...{ created_at: now, next_attempt_at: now, delivered_at: null, attempts: [] },
};
const arrived: DeliveryRecord = { ...withheld, status: "delivered", next_attempt_at: null, delivered_at: now };

function listOf(webhook: DeliveryRecord): DeliveryList {
  const endpoint = { url: null, disabled_at: null, failing_since: null, previous_secret_expires_at: null };
  return { endpoint, fault: null, webhooks: [webhook], next: null };
}

function render(list: DeliveryList | undefined): string {
  const page = { list, answers: [], now: Date.parse(now), query: new URLSearchParams(), lastEvent: "7" };
  const router = { refresh: () => undefined } as never;
  return renderToStaticMarkup(
    createElement(AppRouterContext.Provider, { value: router }, createElement(Webhooks, page)),
  );
}

test("a fault that is used up can be cleared while it withholds webhooks", () => {
  const html = render(listOf(withheld));
  expect(html).toContain("Clear fault");
  expect(html).not.toContain("No faults set");
  expect(render(listOf(arrived))).not.toContain("Clear fault");
});

test("the form that showed a new secret stays when the list can't be loaded", () => {
  expect(render(undefined)).toContain("Rotate secret");
});
