import { globSync, readFileSync } from "node:fs";
import { createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { unsentForm } from "#lib/partner/requests/form-state.ts";
import { PagePersonProvider } from "./action-form.tsx";
import { AuthorizeForm } from "./connection/connection-forms.tsx";
import { withWords } from "./testing/with-words.tsx";

const renderFor = (id: string | undefined, children: ReactNode) =>
  renderToStaticMarkup(withWords("Other Books", createElement(PagePersonProvider, { id, children })));

test("a form names the person its page was rendered for, without scripts too", () => {
  const form = createElement(AuthorizeForm, { action: async () => unsentForm, label: "Connect" });
  expect(renderFor("p-1", form)).toContain('<input type="hidden" autoComplete="off" name="page_person" value="p-1"/>');
  expect(renderFor(undefined, form)).not.toContain("page_person");
});

test("every form with an action of Harbor names the page's person", () => {
  const files = globSync("components/partner/**/*.tsx");
  const sending = files.map((file) => [file, readFileSync(file, "utf8")] as const);
  const unnamed = sending.filter(([, source]) => /\buseFormAction\(/.test(source) && /<form\b/.test(source));
  expect(unnamed.map(([file]) => file)).toEqual([]);
});
