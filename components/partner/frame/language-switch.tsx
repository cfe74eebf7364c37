import { unsentForm } from "#lib/partner/requests/form-state.ts";
import { type Locale, locales } from "#lib/partner/words/locales.ts";
import { useReaderLocale, useWords } from "#use-words";
import type { FormAction } from "../use-form-action.ts";

// Each in its own language, for readers who don't know the current one.
const names: Record<Locale, string> = { "en-US": "English", "es-US": "Español" };

/** Works without scripts, and adds none to the page. */
export function LanguageSwitch({ change }: { change: FormAction }) {
  const t = useWords("frame");
  const current = useReaderLocale();
  const send = change.bind(null, unsentForm) as unknown as (form: FormData) => Promise<void>;
  return (
    <form action={send} aria-label={t("language")} className="-mx-2 flex gap-1">
      {locales.map((locale) => (
        <button
          key={locale}
          type="submit"
          name="language"
          value={locale}
          lang={locale}
          aria-current={locale === current ? "true" : undefined}
          className="min-h-11 rounded-control px-2 text-accent underline underline-offset-4 hover:text-ink aria-[current]:font-semibold aria-[current]:text-ink aria-[current]:no-underline"
        >
          {names[locale]}
        </button>
      ))}
    </form>
  );
}
