import type { ReactNode } from "react";
import { TextLink } from "#components/ui/text-link.tsx";
import { consoleAddress } from "#lib/partner/inspector/console-address.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { useWords } from "#use-words";
import type { FormAction } from "../use-form-action.ts";
import { LanguageSwitch } from "./language-switch.tsx";

export function SiteFooter({ changeLanguage }: { changeLanguage: FormAction }) {
  const t = useWords("frame.footer");
  const { isSandbox, serviceBaseUrl } = partner().config;
  const consoleUrl = consoleAddress(partner());
  const service = (name: ReactNode) => <TextLink href={`${serviceBaseUrl}/`}>{name}</TextLink>;
  return (
    <footer className="mt-auto">
      <Waterline />
      <div className="mx-auto flex max-w-6xl flex-wrap justify-between gap-x-8 gap-y-2 px-4 pt-5 pb-10 text-sm text-ink-soft sm:px-8">
        <p>{t("what")}</p>
        {isSandbox ? <p>{t("caution")}</p> : null}
        {isSandbox ? (
          <p>
            {consoleUrl
              ? t.rich("serviceAndConsole", {
                  service,
                  console: (name) => <TextLink href={consoleUrl}>{name}</TextLink>,
                })
              : t.rich("service", { service })}
          </p>
        ) : null}
        <LanguageSwitch change={changeLanguage} />
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
