import { CodeInput } from "./code-input.tsx";
import { Field } from "./field.tsx";

export type CodeFieldProps = { digits?: number; error: string | undefined; answer: unknown };

/** The field for a texted code; its error is announced while it has the focus. */
export function CodeField({ digits = 6, error, answer }: CodeFieldProps) {
  return (
    <div aria-live="polite">
      <Field
        label="Verification code"
        htmlFor="code"
        hint={
          <>
            {digits === 6 ? "6 digits." : "10 digits, with or without a space."}
            <span className="noscript:hidden"> We’ll check it automatically.</span>
          </>
        }
        {...(error && { error })}
      >
        <CodeInput id="code" digits={digits} required invalid={error !== undefined} answer={answer} />
      </Field>
    </div>
  );
}
