import type { ReactNode } from "react";
import { PlainbookMark } from "./plainbook-mark.tsx";

/** What is around each of the authorization pages. */
export function PageFrame({ children }: { children: ReactNode }) {
  return (
    <div className="mx-auto flex w-full max-w-lg grow flex-col px-4 pt-8 pb-24 sm:pt-14">
      <header className="flex justify-center border-b-4 border-double border-ink pb-5">
        <PlainbookMark />
      </header>
      <main id="main" tabIndex={-1} className="py-8">
        {children}
      </main>
      <footer className="mt-auto border-t border-line pt-4 text-center text-sm text-ink-soft">
        Plainbook runs on this machine, as a part of Gangway. No real money moves here.
      </footer>
    </div>
  );
}
