import { TextInput, type TextInputProps } from "./text-input.tsx";

/** One text input for six digits, as phones fill it in by themselves. Named "code" unless told otherwise. */
export function CodeInput({ name = "code", className = "", ...rest }: TextInputProps) {
  return (
    <TextInput
      name={name}
      inputMode="numeric"
      autoComplete="one-time-code"
      pattern="[0-9]{6}"
      maxLength={6}
      spellCheck={false}
      className={`max-w-56 font-mono text-2xl tracking-[0.35em] tabular-nums ${className}`}
      {...rest}
    />
  );
}
