/** Plainbook's logo, the two sides of an account, with its name. */
export function PlainbookMark() {
  return (
    <span className="inline-flex items-center gap-3">
      <svg viewBox="0 0 32 32" className="size-7" aria-hidden="true" fill="none">
        <path d="M1 5h30M16 5v25" className="stroke-ink" strokeWidth="2.6" />
        <path d="M3 12h8M3 18.5h8M21 12h8M21 18.5h8" className="stroke-accent" strokeWidth="2.2" />
      </svg>
      <span className="font-display text-[1.6rem] leading-none">Plainbook</span>
    </span>
  );
}
