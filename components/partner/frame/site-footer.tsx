/** The small print below the waterline: what this is, so that nobody takes it for a bank. */
export function SiteFooter() {
  return (
    <footer className="mt-auto">
      <Waterline />
      <div className="mx-auto flex max-w-6xl flex-wrap justify-between gap-x-8 gap-y-2 px-4 pt-5 pb-24 text-sm text-ink-soft sm:px-8">
        <p>Harbor is the partner app of Gangway, a reference integration that runs on this machine.</p>
        <p>No real money moves here. Please enter nothing real.</p>
      </div>
    </footer>
  );
}

function Waterline() {
  return (
    <svg className="block h-3 w-full text-line-strong/50" aria-hidden="true">
      <pattern id="waterline" width="48" height="12" patternUnits="userSpaceOnUse">
        <path d="M-12 6q12-8 24 0t24 0 24 0" fill="none" stroke="currentColor" strokeWidth="1.5" />
      </pattern>
      <rect width="100%" height="12" fill="url(#waterline)" />
    </svg>
  );
}
