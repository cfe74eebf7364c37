import * as enAuthorization from "./en/authorization.ts";
import * as enCommon from "./en/common.ts";
import * as enDashboard from "./en/dashboard.ts";
import * as enHome from "./en/home.ts";
import * as enOnboarding from "./en/onboarding.ts";
import * as enPaid from "./en/paid.ts";
import * as enPay from "./en/pay.ts";
import * as enSignIn from "./en/sign-in.ts";
import * as esAuthorization from "./es/authorization.ts";
import * as esCommon from "./es/common.ts";
import * as esDashboard from "./es/dashboard.ts";
import * as esHome from "./es/home.ts";
import * as esOnboarding from "./es/onboarding.ts";
import * as esPaid from "./es/paid.ts";
import * as esPay from "./es/pay.ts";
import * as esSignIn from "./es/sign-in.ts";
import type { Locale } from "./locales.ts";
import type { Translation } from "./translation.ts";

/** Harbor's sentences by page, in ICU MessageFormat. `[service]` is the service's name, which is a setting. */
const english = {
  ...enCommon,
  ...enHome,
  ...enSignIn,
  ...enOnboarding,
  ...enAuthorization,
  ...enDashboard,
  ...enPay,
  ...enPaid,
};

const spanish: Translation<typeof english> = {
  ...esCommon,
  ...esHome,
  ...esSignIn,
  ...esOnboarding,
  ...esAuthorization,
  ...esDashboard,
  ...esPay,
  ...esPaid,
};

export type Sentences = typeof english;

export type Page = keyof Sentences;

export const catalogs: Record<Locale, Translation<Sentences>> = { "en-US": english, "es-US": spanish };

// Types the keys, and the values that each sentence needs.
declare module "use-intl/core" {
  interface AppConfig {
    Locale: Locale;
    Messages: Sentences;
  }
}
