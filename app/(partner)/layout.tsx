import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import { headingFont, textFont } from "#brand/fonts.ts";
import { brandName } from "#brand/name.ts";
import { sentences } from "#brand/sentences.ts";
import { AccountMenu } from "#components/partner/account-menu.tsx";
import { SiteFooter } from "#components/partner/frame/site-footer.tsx";
import { headerLinksOf, SiteHeader } from "#components/partner/frame/site-header.tsx";
import { Inspector } from "#components/partner/inspector/inspector.tsx";
import { ServiceNameProvider } from "#components/partner/service-name.tsx";
import { SkipLink } from "#components/ui/skip-link.tsx";
import { findPerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { SandboxTools } from "./sandbox-tools.tsx";
import { signOut } from "./sign-in/actions.ts";
import "../harbor.css";

// Every page view has its own nonce and person.
export const dynamic = "force-dynamic";

export const metadata: Metadata = {
  title: { default: brandName, template: `%s · ${brandName}` },
  description: sentences.description,
  applicationName: brandName,
  manifest: "/partner/manifest.webmanifest",
  icons: { icon: { url: "/partner/icon.svg", type: "image/svg+xml" } },
};

export const viewport: Viewport = { colorScheme: "light dark" };

export default async function PartnerLayout({ children }: { children: ReactNode }) {
  const person = await findPerson();
  const shown = person && { firstName: person.firstName, lastName: person.lastName };
  return (
    <html lang="en" data-person={person?.id} className={`${headingFont.variable} ${textFont.variable}`}>
      <body className="flex min-h-dvh flex-col has-data-[inspector=open]:max-lg:pb-[60dvh] has-data-[inspector=open]:lg:pr-108">
        <SkipLink />
        <SandboxTools />
        <SiteHeader links={headerLinksOf(person?.role)} account={<AccountMenu person={shown} signOut={signOut} />} />
        <main id="main" tabIndex={-1} className="mx-auto w-full max-w-6xl px-4 py-10 sm:px-8 sm:py-14">
          <ServiceNameProvider name={partner().config.serviceName}>{children}</ServiceNameProvider>
        </main>
        <SiteFooter />
        {person ? <Inspector /> : null}
      </body>
    </html>
  );
}
