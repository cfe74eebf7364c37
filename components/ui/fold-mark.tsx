/** The marker of a `details` with the class `group`; rotates when open. */
export function FoldMark() {
  return (
    <svg
      viewBox="0 0 16 16"
      className="size-4 shrink-0 transition-transform group-open:rotate-90"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
    >
      <path d="m6 3.5 4.5 4.5L6 12.5" strokeWidth="1.8" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
