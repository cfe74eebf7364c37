import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, expect, test, vi } from "vitest";
import type { EventPage } from "#lib/contract/sandbox-events.ts";
import { readFilters } from "./filters.ts";
import { SequenceDiagram } from "./sequence-diagram.tsx";
import { Timeline } from "./timeline.tsx";
import { fetchEarlier } from "./use-events.ts";

const event = {
  ...{ id: "7", kind: "control", at: "2026-01-31T09:30:00Z", client_time: "2026-01-31T09:30:00Z", duration_ms: 1 },
  ...{
    trace_id: "t",
    joins: ["trace:t"],
    operation: "resetSandboxClock",
    method: "POST",
    path: "/sandbox/clock/reset",
  },
  ...{ status: 200, request: null, response: null },
};

function render(query: string, page: Partial<EventPage>): string {
  const firstPage = { events: [event], earlier_exist: false, later_exist: false, ...page } as EventPage;
  const firstFilters = readFilters(new URLSearchParams(query));
  return renderToStaticMarkup(createElement(Timeline, { firstPage, firstFilters, clientId: "shop" }));
}

test("a filter for one id shows no steps as none only once all earlier steps are known", () => {
  const html = render("join=user:1", { earlier_exist: true });
  expect(html).not.toContain("No matching steps");
  expect(html).toContain("Loading earlier steps");
  expect(render("join=user:1", {})).toContain("No matching steps");
});

test.each([
  ["failed", "Couldn’t load earlier steps. Reload the page to try again."],
  ["cut", "There are more earlier steps."],
] as const)("earlier steps that are unknown (%s) aren't shown as none", (older, words) => {
  const press = () => undefined;
  const html = renderToStaticMarkup(
    createElement(SequenceDiagram, {
      ...{ rows: [], selectedId: "", select: press, toggle: press, loadEarlier: undefined, isFiltered: true },
      ...{ older, loadFailed: false },
    }),
  );
  expect(html).toContain(words);
  expect(html).not.toContain("No matching steps");
});

test("a failed load of earlier steps is shown beside its button", () => {
  const press = () => undefined;
  const render = (loadFailed: boolean) =>
    renderToStaticMarkup(
      createElement(SequenceDiagram, {
        ...{ rows: [], selectedId: "", select: press, toggle: press, loadEarlier: press, isFiltered: false },
        ...{ older: "shown", loadFailed },
      }),
    );
  expect(render(false)).not.toContain("Couldn’t load");
  expect(render(true)).toContain("Couldn’t load earlier steps. Try again, or reload the page.");
});

afterEach(() => vi.unstubAllGlobals());

test.each([
  ["the connection breaks", async () => Promise.reject(new TypeError("fetch failed"))],
  ["the service refuses it", async () => Response.json(null, { status: 503 })],
  ["the page is cut off", async () => new Response('{"events":')],
])("a load of earlier steps fails if %s", async (_, fetch) => {
  vi.stubGlobal("fetch", fetch);
  expect(await fetchEarlier("7", "shop")).toBeUndefined();
});
