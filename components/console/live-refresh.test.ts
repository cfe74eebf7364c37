import { AppRouterContext } from "next/dist/shared/lib/app-router-context.shared-runtime.js";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test, vi } from "vitest";
import { LiveRefresh } from "./live-refresh.tsx";

vi.mock("#components/ui/auto-retry.tsx", () => ({ AutoRetry: () => "retries" }));

test("a page without a stream, such as past the client's limit or after its sign-in ended, still reads again", () => {
  const router = { refresh: () => undefined } as never;
  const page = createElement(LiveRefresh, { lastEvent: "7" });
  const html = renderToStaticMarkup(createElement(AppRouterContext.Provider, { value: router }, page));
  expect(html).toContain("Connecting");
  expect(html).toContain("retries");
});
