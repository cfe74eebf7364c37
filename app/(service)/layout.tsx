import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import { SkipLink } from "#components/ui/skip-link.tsx";
import { newsreader, publicSans } from "../plainbook-fonts.ts";
import "../plainbook.css";

// Each page view has its own nonce, so pages can't be prerendered.
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
        {children}
      </body>
    </html>
  );
}
