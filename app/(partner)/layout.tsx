import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import { AccountMenu } from "#components/partner/account-menu.tsx";
import { headerLinksOf } from "#components/partner/frame/header-links.ts";
import { SiteFooter } from "#components/partner/frame/site-footer.tsx";
import { SiteHeader } from "#components/partner/frame/site-header.tsx";
import { SkipLink } from "#components/ui/skip-link.tsx";
import { findPerson } from "#lib/partner/people/session.ts";
import { bricolageGrotesque, hankenGrotesk } from "../harbor-fonts.ts";
import { signOut } from "./sign-in/actions.ts";
import "../harbor.css";

// Each page view has a nonce of its own, and nothing here is the same for everybody.
export const dynamic = "force-dynamic";

export const metadata: Metadata = {
  title: { default: "Harbor", template: "%s · Harbor" },
  description: "A marketplace that pays its sellers: the reference integration of Gangway.",
  icons: { icon: { url: "/partner/icon.svg", type: "image/svg+xml" } },
};

const light = { media: "(prefers-color-scheme: light)", color: "#faf6ef" };
const dark = { media: "(prefers-color-scheme: dark)", color: "#0c1826" };
export const viewport: Viewport = { colorScheme: "light dark", themeColor: [light, dark] };

export default async function PartnerLayout({ children }: { children: ReactNode }) {
  const person = await findPerson();
  const shown = person && { firstName: person.firstName, lastName: person.lastName };
  return (
    <html lang="en" className={`${bricolageGrotesque.variable} ${hankenGrotesk.variable}`}>
      <body className="flex min-h-dvh flex-col">
        <SkipLink />
        <SiteHeader links={headerLinksOf(person?.role)} account={<AccountMenu person={shown} signOut={signOut} />} />
        <main id="main" tabIndex={-1} className="mx-auto w-full max-w-6xl px-4 py-10 sm:px-8 sm:py-14">
          {children}
        </main>
        <SiteFooter />
      </body>
    </html>
  );
}
