"use client";

import { useLocale, useTranslations } from "use-intl/react";

/** A page's sentences in the reader's language. In server components: use-words-on-server.ts. */
export const useWords = useTranslations;

export const useReaderLocale = useLocale;
