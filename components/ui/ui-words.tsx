"use client";

import { createContext, type ReactNode, useContext } from "react";

/** The texts of this folder's components. `%name` is a placeholder. */
export const englishUiWords = {
  optional: "optional",
  error: "Error",
  verificationCode: "Verification code",
  sixDigits: "6 digits.",
  tenDigits: "10 digits, with or without a space.",
  checkedAutomatically: "We’ll check it automatically.",
  progress: "Progress",
  step: "Step %current of %count: %title",
  done: "done",
  notYet: "Not yet",
  close: "Close",
  month: "Month",
  day: "Day",
  year: "Year",
  checkOneAnswer: "Please check one answer",
  checkAnswers: "Please check %count answers",
  didntWork: "That didn't work",
  availableIn: "Available in %seconds s",
  justNow: "just now",
  inAMoment: "in a moment",
  unknown: "unknown",
  copy: "Copy %what",
  copied: "Copied",
  pages: "Pages",
  newer: "Newer",
  older: "Older",
};

export type UiWords = Record<keyof typeof englishUiWords, string>;

// English without a provider: only Harbor has other languages.
const Context = createContext({ locale: "en-US", words: englishUiWords as UiWords });

type UiWordsProviderProps = { locale: string; words: UiWords; children: ReactNode };

export function UiWordsProvider({ locale, words, children }: UiWordsProviderProps) {
  return <Context value={{ locale, words }}>{children}</Context>;
}

export function useUiWords(): UiWords {
  return useContext(Context).words;
}

/** One text, usable in server components. */
export function UiWord({ name }: { name: keyof UiWords }) {
  return useUiWords()[name];
}

/** The locale for dates and amounts. */
export function useUiLocale(): string {
  return useContext(Context).locale;
}

export function fillIn(sentence: string, values: Record<string, string | number>): string {
  return sentence.replaceAll(/%(\w+)/g, (_whole, name: string) => String(values[name] ?? ""));
}
