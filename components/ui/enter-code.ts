/** Types a code into the page's code field; false if there is none. */
export function enterCode(code: string): boolean {
  const field = document.querySelector<HTMLInputElement>('input[autocomplete="one-time-code"]');
  if (!field) return false;
  field.focus();
  field.value = code;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  return true;
}
