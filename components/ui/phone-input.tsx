"use client";

import { formatPhone } from "#lib/kit/us-phone.ts";
import { FormattedInput } from "./formatted-input.tsx";
import type { TextInputProps } from "./text-input.tsx";

/** A US phone number, written `(415) 555-0123` while it is typed, pasted or filled in. */
export function PhoneInput(props: TextInputProps) {
  return <FormattedInput type="tel" inputMode="tel" autoComplete="tel" format={formatPhone} {...props} />;
}
