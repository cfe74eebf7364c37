/** The first six-digit code in a text; six digits of a longer number are none. */
export function codeInText(text: string): string | undefined {
  return /(?<!\d)\d{6}(?!\d)/.exec(text)?.[0];
}
