import type { ReactNode } from "react";

export function PageFrame({ isSandbox, children }: { isSandbox: boolean; children?: ReactNode }) {
  return (
    <div className="mx-auto flex w-full max-w-lg grow flex-col px-4 pt-8 pb-24 sm:pt-14">
      <header className="flex justify-center border-b-4 border-double border-ink pb-5">
        <PlainbookMark />
      </header>
      <main id="main" tabIndex={-1} className="py-8">
        {children}
      </main>
      {isSandbox ? (
        <footer className="mt-auto border-t border-line pt-4 text-center text-sm text-ink-soft">
          Plainbook is a sandbox that’s part of Gangway. No real money moves here.
        </footer>
      ) : null}
    </div>
  );
}

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
