type Edit = {
  /** What stands in the input after the edit. */
  text: string;
  caret: number;
  format: (text: string) => string;
  /** Whether the edit took away what follows the caret, as the Delete key does. */
  isForward?: boolean;
};

/**
 * The text as it is to be written, and where the caret belongs: between the same two characters as before, whatever was put
 * between them. Beside what was put there it stands on the side from which the next key takes effect.
 */
export function keepCaret({ text, caret, format, isForward = false }: Edit): { text: string; caret: number } {
  const written = format(text);
  const after = countTyped(text.slice(caret));
  let place = written.length;
  while (place > 0 && countTyped(written.slice(place)) < after) place--;
  if (!isForward) while (place > 0 && !isTyped(written.charAt(place - 1))) place--;
  return { text: written, caret: place };
}

function countTyped(text: string): number {
  return [...text].filter(isTyped).length;
}

function isTyped(character: string): boolean {
  return /[\p{L}\p{N}+]/u.test(character);
}
