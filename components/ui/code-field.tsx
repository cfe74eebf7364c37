"use client";

import { useState } from "react";
import { CodeInput } from "./code-input.tsx";
import { Field } from "./field.tsx";
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
        <CodeInput id="code" digits={digits} required invalid={shown !== undefined} answer={answer} />
      </Field>
    </div>
  );
}
