"use client";

import { formatSsn } from "#lib/kit/us-formats.ts";
import { FormattedInput } from "./formatted-input.tsx";
import type { TextInputProps } from "./text-input.tsx";

/**
 * Formats an SSN as `123-45-6789` while focused and masks it on blur. Not a password input: browsers would offer to
 * save it, and screen readers wouldn't read it back. The attributes keep password managers away.
 */
export function SsnInput(props: TextInputProps) {
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
      className="max-w-60 tabular-nums not-focus:[-webkit-text-security:disc]"
      {...props}
    />
  );
}
