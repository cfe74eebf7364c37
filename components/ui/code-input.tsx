"use client";

import { type FormEvent, useEffect, useRef } from "react";
import { TextInput, type TextInputProps } from "./text-input.tsx";

type CodeInputProps = Omit<TextInputProps, "maxLength" | "pattern"> & {
  digits?: number;
  /** What the form was last answered with: when it changes, the field has the focus again and what is in it is selected. */
  answer: unknown;
};

/**
 * One text input for so many digits, six unless told otherwise, as phones fill it in by themselves. Named "code" unless told
 * otherwise. Has the focus from the start, and sends its form once all digits are there.
 */
export function CodeInput({ name = "code", digits = 6, className = "", answer, ...rest }: CodeInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const sent = useRef<string>(undefined);

  const answered = useRef(answer);
  useEffect(() => {
    if (answered.current === answer) return;
    answered.current = answer;
    sent.current = undefined;
    input.current?.focus();
    input.current?.select();
  }, [answer]);

  // A code that is on its way is not sent again: a second try would find it spent.
  useEffect(() => {
    const form = input.current?.form;
    function sendOnce(event: SubmitEvent) {
      const code = input.current?.value;
      if (code === sent.current) {
        event.preventDefault();
        event.stopImmediatePropagation();
      } else sent.current = code;
    }
    form?.addEventListener("submit", sendOnce, { capture: true });
    // Typed before this script ran.
    if (isComplete(input.current?.value ?? "", digits)) form?.requestSubmit();
    return () => form?.removeEventListener("submit", sendOnce, { capture: true });
  }, [digits]);

  function sendWhenComplete({ currentTarget }: FormEvent<HTMLInputElement>) {
    const typed = currentTarget.value;
    // Only where something changes: writing the value moves the caret to its end.
    if (/\D/.test(typed)) currentTarget.value = digitsIn(typed);
    if (isComplete(currentTarget.value, digits)) currentTarget.form?.requestSubmit();
  }

  return (
    <TextInput
      name={name}
      ref={input}
      onInput={sendWhenComplete}
      inputMode="numeric"
      autoComplete="one-time-code"
      autoFocus
      spellCheck={false}
      // Without scripts a code comes as it was copied, like "G-123 456"; the server takes its digits.
      pattern={`\\D*(?:\\d\\D*){${digits}}`}
      maxLength={40}
      className={`${digits > 6 ? "max-w-80" : "max-w-56"} font-mono text-2xl tracking-[0.35em] tabular-nums ${className}`}
      {...rest}
    />
  );
}

function isComplete(typed: string, digits: number): boolean {
  return digitsIn(typed).length === digits;
}

function digitsIn(typed: string): string {
  return typed.replaceAll(/\D/g, "");
}
