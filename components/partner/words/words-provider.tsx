"use client";

import { createContext, type ReactNode, useContext, useEffect, useMemo } from "react";
import { IntlProvider } from "use-intl/react";
import { UiWordsProvider } from "#components/ui/ui-words.tsx";
import type { Sentences } from "#lib/partner/words/catalog.ts";
import type { Locale } from "#lib/partner/words/locales.ts";
import { keepWords } from "#lib/partner/words/words-in-browser.ts";

const Outer = createContext<Sentences | undefined>(undefined);

/** Adds `sentences` (JSON) to those of the outer providers. */
export function WordsProvider(props: { locale: Locale; sentences: string; children: ReactNode }) {
  const { locale, sentences, children } = props;
  const outer = useContext(Outer);
  const messages: Sentences = useMemo(() => ({ ...outer, ...JSON.parse(sentences) }), [outer, sentences]);
  useEffect(() => keepWords(locale, messages), [locale, messages]);
  return (
    <Outer value={messages}>
      <IntlProvider locale={locale} messages={messages} timeZone="UTC">
        <UiWordsProvider locale={locale} words={messages.ui}>
          {children}
        </UiWordsProvider>
      </IntlProvider>
    </Outer>
  );
}
