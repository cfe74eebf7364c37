import { sentences } from "#brand/sentences.ts";
import { TextLink } from "#components/ui/text-link.tsx";
import { consoleAddress } from "#lib/partner/inspector/console-address.ts";
import { partner } from "#lib/partner/process-partner.ts";

export function SiteFooter() {
  const { isSandbox, serviceBaseUrl, serviceName } = partner().config;
  const consoleUrl = consoleAddress(partner());
  return (
    <footer className="mt-auto">
      <Waterline />
      <div className="mx-auto flex max-w-6xl flex-wrap justify-between gap-x-8 gap-y-2 px-4 pt-5 pb-10 text-sm text-ink-soft sm:px-8">
        <p>{sentences.footer.what}</p>
        <p>{sentences.footer.caution}</p>
        {isSandbox ? (
          <p>
            The service behind it: <TextLink href={`${serviceBaseUrl}/`}>{serviceName}</TextLink>
            {consoleUrl ? (
              <>
                {" "}
                and <TextLink href={consoleUrl}>its console</TextLink>
              </>
            ) : null}
          </p>
        ) : null}
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
