/** Shared by both apps' sandbox tools. */
export const toolButton =
  "inline-flex min-h-9 items-center justify-center gap-2 rounded-sm border border-line-strong bg-surface px-2 py-1 sm:px-3 text-center text-sm leading-tight font-semibold text-ink hover:border-ink hover:bg-sunken aria-disabled:cursor-not-allowed aria-disabled:opacity-60";
