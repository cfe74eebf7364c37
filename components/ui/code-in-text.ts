/** The first code in a text: six digits, or two groups of five, not part of a longer number. */
export function codeInText(text: string): string | undefined {
  return /(?<!\d)(?:\d{6}|\d{5} \d{5})(?!\d)/.exec(text)?.[0];
}
