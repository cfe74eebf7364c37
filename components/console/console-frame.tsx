import type { ReactNode } from "react";
import { PlainbookMark } from "#components/authorization/page-frame.tsx";
import { Button } from "#components/ui/button.tsx";
import { FocusHeading } from "#components/ui/focus-heading.tsx";
import { ConsoleProvider } from "./console-context.tsx";
import { ConsoleNav } from "./console-nav.tsx";
import { CommandPalette } from "./palette/command-palette.tsx";

type ConsoleFrameProps = { clientId: string | undefined; baseUrl: string; children: ReactNode };

export function ConsoleFrame({ clientId, baseUrl, children }: ConsoleFrameProps) {
  return (
    <ConsoleProvider baseUrl={baseUrl} clientId={clientId ?? ""}>
      <div className="flex w-full grow flex-col">
        <header className="flex flex-wrap items-center gap-x-6 gap-y-2 border-b-4 border-double border-ink px-4 py-3 sm:px-6">
          <a href="/" className="text-ink no-underline">
            <PlainbookMark />
          </a>
          <p className="rounded-badge bg-warning-soft px-2 py-0.5 text-xs font-semibold text-warning">
            Sandbox: no real money
          </p>
          {clientId ? (
            <div className="ml-auto flex min-w-0 flex-wrap items-center gap-3">
              <CommandPalette />
              <form action="/console/sign-out" method="post" className="flex min-w-0 items-center gap-3">
                <code className="min-w-0 truncate font-mono text-xs text-ink-soft">{clientId}</code>
                <Button type="submit" variant="secondary" size="sm">
                  Sign out
                </Button>
              </form>
            </div>
          ) : null}
        </header>
        <div className="flex min-w-0 grow flex-col lg:flex-row">
          {clientId ? <ConsoleNav /> : null}
          <main
            id="main"
            tabIndex={-1}
            className="flex w-full min-w-0 grow flex-col border-line lg:border-l max-lg:**:scroll-mt-14 px-4 py-6 sm:px-6"
          >
            {clientId ? (
              <noscript>
                <p className="mb-6 border-l-4 border-warning bg-warning-soft px-4 py-3 text-sm">
                  JavaScript is off. Each list shows its first page as it was when you opened it; live updates and
                  actions need JavaScript.
                </p>
              </noscript>
            ) : null}
            {children}
            <FocusHeading />
          </main>
        </div>
      </div>
    </ConsoleProvider>
  );
}
