/** Types a code into the field of the page that asks for one; false when no field does. */
export function enterCode(code: string): boolean {
  const field = document.querySelector<HTMLInputElement>('input[autocomplete="one-time-code"]');
  if (!field) return false;
  field.focus();
  field.value = code;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  return true;
}
