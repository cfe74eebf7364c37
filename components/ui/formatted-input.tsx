"use client";

import type { ChangeEvent, FocusEvent } from "react";
import { keepCaret } from "./keep-caret.ts";
import { TextInput, type TextInputProps } from "./text-input.tsx";

export type FormattedInputProps = TextInputProps & { format: (typed: string) => string };

/**
 * One line of text that is written the usual way while it is typed or pasted, with the caret where it was. `onChange` and
 * `onBlur` see it written. Without a script it stays as it was typed.
 */
export function FormattedInput({ format, onChange, onBlur, ...rest }: FormattedInputProps) {
  function change(event: ChangeEvent<HTMLInputElement>): void {
    const { nativeEvent, target } = event;
    const typing = nativeEvent instanceof InputEvent ? nativeEvent : undefined;
    // A keyboard that is still putting a character together loses it when the text changes under its hands.
    if (!typing?.isComposing) {
      const caret = target.selectionStart ?? target.value.length;
      const isForward = typing?.inputType === "deleteContentForward";
      write(target, keepCaret({ text: target.value, caret, format, isForward }));
    }
    onChange?.(event);
  }

  // What was filled in before the script ran, or put together at last.
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
