"use client";

import { type FormEvent, useEffect, useRef, useState } from "react";
import { Field } from "./field.tsx";
import { TextInput } from "./text-input.tsx";
import { UiWord } from "./ui-words.tsx";

export type CodeFieldProps = { digits?: number; error: string | undefined; answer: unknown };

/** The field for a texted code. Announces its error while focused, and clears it when another code is typed. */
export function CodeField({ digits = 6, error, answer }: CodeFieldProps) {
  const [edited, setEdited] = useState<unknown>();
  const shown = edited === answer ? undefined : error;
  return (
    <div aria-live="polite" onInput={() => error && setEdited(answer)}>
      <Field
        label={<UiWord name="verificationCode" />}
        htmlFor="code"
        hint={
          <>
            <UiWord name={digits === 6 ? "sixDigits" : "tenDigits"} />
            <span className="noscript:hidden">
              {" "}
              <UiWord name="checkedAutomatically" />
            </span>
          </>
        }
        error={shown}
      >
        <CodeInput digits={digits} isInvalid={shown !== undefined} answer={answer} />
      </Field>
    </div>
  );
}

type CodeInputProps = {
  digits: number;
  isInvalid: boolean;
  /** The form's last result; a new one focuses the field and selects its text. */
  answer: unknown;
};

/** Takes the focus, and submits its form once complete. */
function CodeInput({ digits, isInvalid, answer }: CodeInputProps) {
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

  // Don't submit the same code twice: the second try would find it used.
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
    // Typed before hydration.
    if (isComplete(input.current?.value ?? "", digits)) form?.requestSubmit();
    return () => form?.removeEventListener("submit", sendOnce, { capture: true });
  }, [digits]);

  function sendWhenComplete({ currentTarget }: FormEvent<HTMLInputElement>) {
    const typed = currentTarget.value;
    // Only when needed: setting the value moves the caret.
    if (/\D/.test(typed)) currentTarget.value = digitsIn(typed);
    if (isComplete(currentTarget.value, digits)) currentTarget.form?.requestSubmit();
  }

  return (
    <TextInput
      id="code"
      name="code"
      required
      invalid={isInvalid}
      ref={input}
      onInput={sendWhenComplete}
      inputMode="numeric"
      autoComplete="one-time-code"
      autoFocus
      spellCheck={false}
      // Without scripts, a pasted "G-123 456" goes to the server, which strips it.
      pattern={`\\D*(?:\\d\\D*){${digits}}`}
      maxLength={40}
      className={`${digits > 6 ? "max-w-80" : "max-w-56"} font-mono text-2xl tracking-[0.35em] tabular-nums`}
    />
  );
}

function isComplete(typed: string, digits: number): boolean {
  return digitsIn(typed).length === digits;
}

function digitsIn(typed: string): string {
  return typed.replaceAll(/\D/g, "");
}
