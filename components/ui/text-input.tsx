import type { ComponentProps } from "react";
import { controlAria, controlStyle } from "./control-style.ts";

export type TextInputProps = ComponentProps<"input"> & { id: string; invalid?: boolean };

/** Goes in a Field of the same id. */
export function TextInput({ id, invalid = false, className = "", type = "text", ...rest }: TextInputProps) {
  return (
    <input id={id} type={type} className={`${controlStyle} ${className}`} {...controlAria(id, invalid)} {...rest} />
  );
}
