export const controlStyle =
  "block w-full min-w-0 min-h-11 rounded-control border border-line-strong bg-surface px-3.5 py-2 text-ink placeholder:text-ink-soft hover:border-ink focus-visible:border-accent disabled:cursor-not-allowed disabled:bg-sunken disabled:text-ink-soft aria-invalid:border-danger aria-invalid:ring-1 aria-invalid:ring-danger";

/** The aria attributes of a control inside a Field of the same id. Browsers ignore ids without a hint or error. */
export function controlAria(id: string, invalid: boolean) {
  return {
    "aria-invalid": invalid || undefined,
    "aria-describedby": invalid ? `${id}-error ${id}-hint` : `${id}-hint`,
  };
}
