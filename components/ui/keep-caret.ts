type Edit = {
  /** The input's text after the edit. */
  text: string;
  caret: number;
  format: (text: string) => string;
  /** Whether the edit deleted forward, as the Delete key does. */
  isForward?: boolean;
};

/**
 * Formats the text and keeps the caret between the same two typed characters. Next to inserted punctuation, the caret goes on
 * the side where the next key press works.
 */
export function keepCaret({ text, caret, format, isForward = false }: Edit): { text: string; caret: number } {
  const written = format(text);
  const after = countTyped(text.slice(caret));
  let position = written.length;
  while (position > 0 && countTyped(written.slice(position)) < after) position--;
  if (!isForward) while (position > 0 && !isTyped(written.charAt(position - 1))) position--;
  return { text: written, caret: position };
}

function countTyped(text: string): number {
  return [...text].filter(isTyped).length;
}

function isTyped(character: string): boolean {
  return /[\p{L}\p{N}+]/u.test(character);
}
