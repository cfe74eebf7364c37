import { currentLocale, words } from "#lib/partner/words/words.ts";

export const useWords = words;

export const useReaderLocale = currentLocale;
