import { createTranslator, type NamespaceKeys, type NestedKeyOf } from "use-intl/core";
import { currentAction } from "../requests/current-action.ts";
import type { Page, Sentences } from "./catalog.ts";
import { type Locale, locales } from "./locales.ts";
import { sentencesOf } from "./sentences.ts";

export type Namespace = NamespaceKeys<Sentences, NestedKeyOf<Sentences>>;

export type Words<Name extends Namespace> = ReturnType<typeof createTranslator<Sentences, Name>>;

/** The current request's language. */
export function currentLocale(): Locale {
  return currentAction()?.locale ?? locales[0];
}

// A translator caches its plural, date and amount formats, which are slow to create.
const cache = new Map<string, unknown>();

/** A page's sentences, or a part of them, in the request's language. In a browser: words-in-browser.ts. */
export function words<Name extends Namespace>(namespace: Name): Words<Name> {
  const locale = currentLocale();
  const key = `${locale} ${namespace}`;
  if (!cache.has(key)) {
    const page = namespace.split(".")[0] as Page;
    const messages = { [page]: sentencesOf(locale, page) } as Sentences;
    cache.set(key, createTranslator<Sentences, Name>({ locale, messages, namespace, timeZone: "UTC" }));
  }
  return cache.get(key) as Words<Name>;
}
