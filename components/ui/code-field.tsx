import { CodeInput } from "./code-input.tsx";
import { Field } from "./field.tsx";

export type CodeFieldProps = { digits?: number; error: string | undefined; answer: unknown };

/** The one field of a page that asks for a texted code; what was wrong with the last one is told where the focus is. */
export function CodeField({ digits = 6, error, answer }: CodeFieldProps) {
  return (
    <div aria-live="polite">
      <Field
        label="Verification code"
        htmlFor="code"
        hint={
          <>
            {digits === 6 ? "6 digits." : "10 digits, with or without the space."}
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
