import type { ReactNode } from "react";
import type { Page } from "#lib/partner/words/catalog.ts";
import { sentencesText } from "#lib/partner/words/sentences.ts";
import { currentLocale } from "#lib/partner/words/words.ts";
import { WordsProvider } from "./words-provider.tsx";

const onEveryPage: Page[] = ["amounts", "frame", "problems", "ui"];

/** Sends the browser the sentences that every page needs. */
export function CommonWords({ children }: { children: ReactNode }) {
  return <PageWords of={onEveryPage}>{children}</PageWords>;
}

/** Sends the browser these pages' sentences, in addition to the layout's. */
export function PageWords({ of, children }: { of: Page[]; children: ReactNode }) {
  const locale = currentLocale();
  return (
    <WordsProvider locale={locale} sentences={sentencesText(locale, of)}>
      {children}
    </WordsProvider>
  );
}
