"use client";

import { useLocale, useTranslations } from "use-intl/react";

/** The sentences of a page in the reader's language. In server components: use-words-on-server.ts. */
export const useWords = useTranslations;

export const useReaderLocale = useLocale;
