import type { ReactNode } from "react";
import type { Page, Sentences } from "#lib/partner/words/catalog.ts";
import { sentencesOf } from "#lib/partner/words/sentences.ts";
import { currentLocale } from "#lib/partner/words/words.ts";
import { WordsProvider } from "./words-provider.tsx";

const onEveryPage: Page[] = ["amounts", "frame", "problems", "ui"];

/** Sends the browser the sentences of these pages; without it, client components have only those of every page. */
export function PageWords({ of = [], children }: { of?: Page[]; children: ReactNode }) {
  const locale = currentLocale();
  const pages = [...onEveryPage, ...of].map((page) => [page, sentencesOf(locale, page)]);
  return (
    <WordsProvider locale={locale} messages={Object.fromEntries(pages) as Sentences}>
      {children}
    </WordsProvider>
  );
}
