import { TextInput, type TextInputProps } from "./text-input.tsx";

type CodeInputProps = Omit<TextInputProps, "maxLength" | "pattern"> & { digits?: number };

/** One text input for so many digits, six unless told otherwise, as phones fill it in by themselves. Named "code" unless told otherwise. */
export function CodeInput({ name = "code", digits = 6, className = "", ...rest }: CodeInputProps) {
  return (
    <TextInput
      name={name}
      inputMode="numeric"
      autoComplete="one-time-code"
      spellCheck={false}
      // Room for the space that a longer code is written with.
      {...(digits > 6
        ? { pattern: `[0-9 ]{${digits},${digits + 1}}`, maxLength: digits + 1 }
        : { pattern: `[0-9]{${digits}}`, maxLength: digits })}
      className={`${digits > 6 ? "max-w-80" : "max-w-56"} font-mono text-2xl tracking-[0.35em] tabular-nums ${className}`}
      {...rest}
    />
  );
}
