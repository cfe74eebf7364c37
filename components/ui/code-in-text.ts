/** The first code in a text, six digits or twice five; six digits of a longer number are none. */
export function codeInText(text: string): string | undefined {
  return /(?<!\d)(?:\d{6}|\d{5} \d{5})(?!\d)/.exec(text)?.[0];
}
