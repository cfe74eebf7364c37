import type { ReactNode } from "react";
import { IntlProvider } from "use-intl/react";
import { UiWordsProvider } from "#components/ui/ui-words.tsx";
import { catalogs, type Sentences } from "#lib/partner/words/catalog.ts";
import { type Locale, locales } from "#lib/partner/words/locales.ts";
import { ServiceNameProvider } from "../service-name.tsx";

/** Wraps components in a test with Harbor's messages and the service's name. */
export function withWords(name: string, children: ReactNode, locale: Locale = locales[0]): ReactNode {
  const messages: Sentences = JSON.parse(JSON.stringify(catalogs[locale]).replaceAll("[service]", name));
  return (
    <IntlProvider locale={locale} messages={messages} timeZone="UTC">
      <UiWordsProvider locale={locale} words={messages.ui}>
        <ServiceNameProvider name={name}>{children}</ServiceNameProvider>
      </UiWordsProvider>
    </IntlProvider>
  );
}
