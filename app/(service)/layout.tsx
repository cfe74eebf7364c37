import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import { PlainbookMark } from "#components/authorization/plainbook-mark.tsx";
import { SkipLink } from "#components/ui/skip-link.tsx";
import { newsreader, publicSans } from "../plainbook-fonts.ts";
import { SandboxTools } from "./sandbox-tools.tsx";
import "../plainbook.css";

// Each page view has a nonce of its own, so no page can be rendered ahead.
export const dynamic = "force-dynamic";

export const metadata: Metadata = {
  title: { default: "Plainbook", template: "%s · Plainbook" },
  robots: { index: false, follow: false },
  icons: { icon: { url: "/service/icon.svg", type: "image/svg+xml" } },
};

const light = { media: "(prefers-color-scheme: light)", color: "#f4f3ef" };
const dark = { media: "(prefers-color-scheme: dark)", color: "#131311" };
export const viewport: Viewport = { colorScheme: "light dark", themeColor: [light, dark] };

export default function ServiceLayout({ children }: { children: ReactNode }) {
  return (
    <html lang="en" data-app="service" className={`${newsreader.variable} ${publicSans.variable}`}>
      <body className="flex min-h-dvh flex-col">
        <SkipLink />
        <SandboxTools />
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
      </body>
    </html>
  );
}
