import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { withWords } from "../testing/with-words.tsx";
import { CallbackProblemPage } from "./callback-problem-page.tsx";

test.each([
  [
    "en-US",
    "Nothing changed: check whether your account is already connected, and if it isn't, start again in this browser.",
  ],
  ["es-US", "Nada cambió: revise si su cuenta ya está conectada y, si no lo está, empiece de nuevo en este navegador."],
] as const)("an answer with a foreign state says in one sentence what to do, in %s", (locale, sentence) => {
  const forward = { href: "/sign-in", label: "Sign in" };
  const page = createElement(CallbackProblemPage, { problem: "unknown_attempt", again: undefined, forward });
  const html = renderToStaticMarkup(withWords("Bank", page, locale));
  const [, said = ""] = /<p>(.*?)<\/p>/.exec(html) ?? [];
  expect([said.replaceAll("&#x27;", "'"), html.includes('href="/sign-in"')]).toEqual([sentence, true]);
});
