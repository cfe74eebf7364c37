"use client";

import { type ReactNode, useEffect } from "react";
import { IntlProvider } from "use-intl/react";
import { UiWordsProvider } from "#components/ui/ui-words.tsx";
import type { Sentences } from "#lib/partner/words/catalog.ts";
import type { Locale } from "#lib/partner/words/locales.ts";
import { keepWords } from "#lib/partner/words/words-in-browser.ts";

type WordsProviderProps = { locale: Locale; messages: Sentences; children: ReactNode };

export function WordsProvider({ locale, messages, children }: WordsProviderProps) {
  useEffect(() => keepWords(locale, messages), [locale, messages]);
  return (
    <IntlProvider locale={locale} messages={messages} timeZone="UTC">
      <UiWordsProvider locale={locale} words={messages.ui}>
        {children}
      </UiWordsProvider>
    </IntlProvider>
  );
}
