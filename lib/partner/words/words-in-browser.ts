import { createTranslator } from "use-intl/core";
import type { Sentences } from "./catalog.ts";
import type { Locale } from "./locales.ts";
import type { Namespace, Words } from "./words.ts";

let current: { locale: Locale; messages: Sentences } | undefined;

/** Makes the page's sentences available to `words`. */
export function keepWords(locale: Locale, messages: Sentences): void {
  current = { locale, messages: current?.locale === locale ? { ...current.messages, ...messages } : messages };
}

/** For schemas and other code outside components; components use `useWords`. */
export function words<Name extends Namespace>(namespace: Name): Words<Name> {
  if (!current) throw new Error("The page's sentences aren't there yet.");
  return createTranslator<Sentences, Name>({ ...current, namespace, timeZone: "UTC" });
}
