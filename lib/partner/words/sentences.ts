import compile from "icu-minify/compile";
import formatMessage from "use-intl/format-message";
import { partnerConfig } from "../config.ts";
import { catalogs, type Page, type Sentences } from "./catalog.ts";
import type { Locale } from "./locales.ts";

const made = new Map<string, unknown>();
const texts = new Map<string, string>();

/** A page's sentences as the formatter wants them: parsed already in Next's bundles, whose formatter can't parse. */
export function sentencesOf<Name extends Page>(locale: Locale, page: Name): Sentences[Name] {
  const key = `${locale} ${page}`;
  if (!made.has(key)) made.set(key, prepare(catalogs[locale][page]));
  return made.get(key) as Sentences[Name];
}

/** The sentences of several pages as JSON, which React sends a browser as one string instead of a tree of thousands. */
export function sentencesText(locale: Locale, pages: Page[]): string {
  const key = `${locale} ${pages.join(" ")}`;
  const text =
    texts.get(key) ?? JSON.stringify(Object.fromEntries(pages.map((page) => [page, sentencesOf(locale, page)])));
  texts.set(key, text);
  return text;
}

function prepare(sentences: unknown): unknown {
  if (typeof sentences !== "string") {
    return Object.fromEntries(Object.entries(sentences as object).map(([key, inner]) => [key, prepare(inner)]));
  }
  const named = sentences.replaceAll("[service]", () => partnerConfig().serviceName);
  return formatMessage.raw ? named : compileSentence(named);
}

/** Parsed, in plain objects alone: React sends a browser no others. */
export function compileSentence(sentence: string): unknown {
  return JSON.parse(JSON.stringify(compile(sentence)));
}
