import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import { headingFont, textFont } from "#brand/fonts.ts";
import { brandName } from "#brand/name.ts";
import { AccountMenu } from "#components/partner/account-menu.tsx";
import { PagePersonProvider } from "#components/partner/action-form.tsx";
import { SiteFooter } from "#components/partner/frame/site-footer.tsx";
import { SiteHeader } from "#components/partner/frame/site-header.tsx";
import { Inspector } from "#components/partner/inspector/inspector.tsx";
import { ServiceNameProvider } from "#components/partner/service-name.tsx";
import { CommonWords } from "#components/partner/words/page-words.tsx";
import { FocusHeading } from "#components/ui/focus-heading.tsx";
import { SkipLink } from "#components/ui/skip-link.tsx";
import { liveStreams } from "#lib/partner/live/live-streams.ts";
import { findPerson } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { currentLocale, words } from "#lib/partner/words/words.ts";
import { changeLanguage } from "./language/actions.ts";
import { SandboxTools } from "./sandbox-tools.tsx";
import { signOut } from "./sign-in/actions.ts";
import "../harbor.css";

// Every page view has its own nonce and person.
export const dynamic = "force-dynamic";

export function generateMetadata(): Metadata {
  return {
    title: { default: brandName, template: `%s · ${brandName}` },
    description: words("about")("description"),
    applicationName: brandName,
    manifest: "/partner/manifest.webmanifest",
    icons: { icon: { url: "/partner/icon.svg", type: "image/svg+xml" } },
  };
}

export const viewport: Viewport = { colorScheme: "light dark" };

// With `min-h-dvh` the footer starts below the fold, so content that arrives late doesn't shift it.
const mainClass = "mx-auto w-full max-w-6xl px-4 py-10 sm:px-8 sm:py-14";

export default async function PartnerLayout({ children }: { children: ReactNode }) {
  // Taken before the page reads any data.
  const position = liveStreams().position();
  const person = await findPerson();
  const shown = person && { firstName: person.firstName, lastName: person.lastName };
  return (
    <html
      lang={currentLocale()}
      data-person={person?.id}
      data-position={person && position}
      className={`${headingFont.variable} ${textFont.variable}`}
    >
      <body className="flex min-h-dvh flex-col has-data-[inspector=open]:max-lg:pb-[60dvh] has-data-[inspector=open]:lg:pr-108">
        <CommonWords>
          <PagePersonProvider id={person?.id}>
            <SkipLink>{words("frame")("skip")}</SkipLink>
            <SandboxTools />
            <SiteHeader role={person?.role} account={<AccountMenu person={shown} signOut={signOut} />} />
            <main id="main" tabIndex={-1} className={`${mainClass} ${person ? "min-h-dvh" : ""}`}>
              <ServiceNameProvider name={partner().config.serviceName}>{children}</ServiceNameProvider>
              <FocusHeading />
            </main>
            <SiteFooter changeLanguage={changeLanguage} />
            {person ? <Inspector /> : null}
          </PagePersonProvider>
        </CommonWords>
      </body>
    </html>
  );
}
