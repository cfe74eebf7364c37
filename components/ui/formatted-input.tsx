"use client";

import type { ChangeEvent, FocusEvent } from "react";
import { TextInput, type TextInputProps } from "./text-input.tsx";

export type FormattedInputProps = TextInputProps & { format: (typed: string) => string };

/** Formats text as it's typed or pasted, and keeps the caret in place. `onChange` and `onBlur` get formatted text. */
export function FormattedInput({ format, onChange, onBlur, ...rest }: FormattedInputProps) {
  function change(event: ChangeEvent<HTMLInputElement>): void {
    const { nativeEvent, target } = event;
    const typing = nativeEvent instanceof InputEvent ? nativeEvent : undefined;
    // Changing the text would break an IME composition.
    if (!typing?.isComposing) {
      const caret = target.selectionStart ?? target.value.length;
      const isForward = typing?.inputType === "deleteContentForward";
      write(target, keepCaret({ text: target.value, caret, format, isForward }));
    }
    onChange?.(event);
  }

  // Formats text entered before hydration or by an IME.
  function leave(event: FocusEvent<HTMLInputElement>): void {
    const { target } = event;
    const written = format(target.value);
    if (written !== target.value) target.value = written;
    onBlur?.(event);
  }

  return <TextInput {...rest} onChange={change} onBlur={leave} />;
}

function write(target: HTMLInputElement, { text, caret }: { text: string; caret: number }): void {
  if (text === target.value) return;
  target.value = text;
  target.setSelectionRange(caret, caret);
}

type Edit = {
  /** The input's text after the edit. */
  text: string;
  caret: number;
  format: (text: string) => string;
  /** Whether the edit deleted forward, like the Delete key. */
  isForward?: boolean;
};

/**
 * Formats the text and keeps the caret between the same two typed characters. Next to inserted punctuation, the caret
 * goes to the side where the next key press works.
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
