import type { ReactNode } from "react";
import { PlainbookMark } from "#components/authorization/page-frame.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConsoleNav } from "./console-nav.tsx";
import { ServiceAddressProvider } from "./service-address.tsx";

type ConsoleFrameProps = { clientId: string | undefined; baseUrl: string; children: ReactNode };

export function ConsoleFrame({ clientId, baseUrl, children }: ConsoleFrameProps) {
  return (
    <ServiceAddressProvider baseUrl={baseUrl}>
      <div className="flex w-full grow flex-col">
        <header className="flex flex-wrap items-center gap-x-6 gap-y-2 border-b-4 border-double border-ink px-4 py-3 sm:px-6">
          <a href="/" className="text-ink no-underline">
            <PlainbookMark />
          </a>
          <p className="rounded-badge bg-warning-soft px-2 py-0.5 text-xs font-semibold text-warning">
            Sandbox: no real money
          </p>
          {clientId ? (
            <form action="/console/sign-out" method="post" className="ml-auto flex min-w-0 items-center gap-3">
              <code className="min-w-0 truncate font-mono text-xs text-ink-soft">{clientId}</code>
              <Button type="submit" variant="secondary" size="sm">
                Sign out
              </Button>
            </form>
          ) : null}
        </header>
        <div className="flex min-w-0 grow flex-col lg:flex-row">
          {clientId ? <ConsoleNav /> : null}
          <main id="main" tabIndex={-1} className="flex w-full min-w-0 grow flex-col px-4 py-6 sm:px-6">
            {children}
          </main>
        </div>
      </div>
    </ServiceAddressProvider>
  );
}
