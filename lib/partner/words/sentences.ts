import compile from "icu-minify/compile";
import formatMessage from "use-intl/format-message";
import { partnerConfig } from "../config.ts";
import { catalogs, type Page, type Sentences } from "./catalog.ts";
import type { Locale } from "./locales.ts";

const cache = new Map<string, unknown>();
const texts = new Map<string, string>();

/** A page's sentences for the formatter: already parsed in Next's bundles, whose formatter can't parse. */
export function sentencesOf<Name extends Page>(locale: Locale, page: Name): Sentences[Name] {
  const key = `${locale} ${page}`;
  if (!cache.has(key)) cache.set(key, prepare(catalogs[locale][page]));
  return cache.get(key) as Sentences[Name];
}

/** Several pages' sentences as JSON, which React sends as one string instead of a tree of thousands of nodes. */
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

/** Parsed into plain objects only: React can't send others to a browser. */
export function compileSentence(sentence: string): unknown {
  return JSON.parse(JSON.stringify(compile(sentence)));
}
