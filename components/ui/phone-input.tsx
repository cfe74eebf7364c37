"use client";

import { formatPhone } from "#lib/kit/us-phone.ts";
import { FormattedInput } from "./formatted-input.tsx";
import type { TextInputProps } from "./text-input.tsx";

/** Formats a US phone number as `(415) 555-0123`. */
export function PhoneInput(props: TextInputProps) {
  return <FormattedInput type="tel" inputMode="tel" autoComplete="tel" format={formatPhone} {...props} />;
}
