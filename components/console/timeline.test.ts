import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { EventPage } from "#lib/contract/sandbox-events.ts";
import { readFilters } from "./filters.ts";
import { SequenceDiagram } from "./sequence-diagram.tsx";
import { Timeline } from "./timeline.tsx";

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
      older,
    }),
  );
  expect(html).toContain(words);
  expect(html).not.toContain("No matching steps");
});
