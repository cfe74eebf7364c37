"use client";

import { formatSsn } from "#lib/kit/us-ssn.ts";
import { FormattedInput } from "./formatted-input.tsx";
import type { TextInputProps } from "./text-input.tsx";

/**
 * A social security number, written `123-45-6789` while it is typed or pasted, and dots as soon as it is left. It is no
 * password input, which browsers offer to keep and screen readers do not read back; the attributes tell the usual password managers so.
 */
export function SsnInput({ className = "", ...rest }: TextInputProps) {
  return (
    <FormattedInput
      inputMode="numeric"
      autoComplete="off"
      spellCheck={false}
      data-1p-ignore
      data-bwignore
      data-lpignore="true"
      data-form-type="other"
      format={formatSsn}
      className={`max-w-60 tabular-nums not-focus:[-webkit-text-security:disc] ${className}`}
      {...rest}
    />
  );
}
