/** Who meets here: the client and Plainbook, by their logos. A client without one has its first letter. */
export function ConsentHeader({ clientName, logo }: { clientName: string; logo: string | undefined }) {
  return (
    <div className="flex items-center gap-3" aria-hidden="true">
      {logo ? (
        // biome-ignore lint/performance/noImgElement: an SVG of our own has no sizes to choose from
        <img src={logo} alt="" width="48" height="48" className="size-12" />
      ) : (
        <span className="grid size-12 place-items-center rounded-card border border-line-strong bg-sunken font-display text-2xl">
          {[...clientName][0]}
        </span>
      )}
      <svg
        viewBox="0 0 28 12"
        className="h-3 w-7 text-ink-soft"
        aria-hidden="true"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
      >
        <path d="M1 6h26M22 1l5 5-5 5M6 1 1 6l5 5" />
      </svg>
      {/* biome-ignore lint/performance/noImgElement: as above */}
      <img src="/service/icon.svg" alt="" width="48" height="48" className="size-12" />
    </div>
  );
}
