/** Harbor's mark, two bollards and a slack rope, with its name. */
export function HarborMark() {
  return (
    <span className="inline-flex items-center gap-2.5">
      <svg viewBox="0 0 32 32" className="size-8" aria-hidden="true" fill="none" strokeLinecap="round">
        <path d="M8 4.5v23M24 4.5v23" className="stroke-ink" strokeWidth="4.4" />
        <path d="M8 11c2 8.2 14 8.2 16 0" className="stroke-accent" strokeWidth="3.8" />
      </svg>
      <span className="font-display text-2xl leading-none font-bold tracking-tight">Harbor</span>
    </span>
  );
}
