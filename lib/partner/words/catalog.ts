import { about as enAbout } from "./en/about.ts";
import { amounts as enAmounts } from "./en/amounts.ts";
import { authorize as enAuthorize } from "./en/authorize.ts";
import { business as enBusiness } from "./en/business.ts";
import { callback as enCallback } from "./en/callback.ts";
import { code as enCode } from "./en/code.ts";
import { connection as enConnection } from "./en/connection.ts";
import { dashboard as enDashboard } from "./en/dashboard.ts";
import { frame as enFrame } from "./en/frame.ts";
import { home as enHome } from "./en/home.ts";
import { messages as enMessages } from "./en/messages.ts";
import { onboarding as enOnboarding } from "./en/onboarding.ts";
import { paid as enPaid } from "./en/paid.ts";
import { pay as enPay } from "./en/pay.ts";
import { payments as enPayments } from "./en/payments.ts";
import { person as enPerson } from "./en/person.ts";
import { problems as enProblems } from "./en/problems.ts";
import { publicSandbox as enPublicSandbox } from "./en/public-sandbox.ts";
import { resolve as enResolve } from "./en/resolve.ts";
import { signIn as enSignIn } from "./en/sign-in.ts";
import { signUp as enSignUp } from "./en/sign-up.ts";
import { status as enStatus } from "./en/status.ts";
import { statuses as enStatuses } from "./en/statuses.ts";
import { ui as enUi } from "./en/ui.ts";
import { about as esAbout } from "./es/about.ts";
import { amounts as esAmounts } from "./es/amounts.ts";
import { authorize as esAuthorize } from "./es/authorize.ts";
import { business as esBusiness } from "./es/business.ts";
import { callback as esCallback } from "./es/callback.ts";
import { code as esCode } from "./es/code.ts";
import { connection as esConnection } from "./es/connection.ts";
import { dashboard as esDashboard } from "./es/dashboard.ts";
import { frame as esFrame } from "./es/frame.ts";
import { home as esHome } from "./es/home.ts";
import { messages as esMessages } from "./es/messages.ts";
import { onboarding as esOnboarding } from "./es/onboarding.ts";
import { paid as esPaid } from "./es/paid.ts";
import { pay as esPay } from "./es/pay.ts";
import { payments as esPayments } from "./es/payments.ts";
import { person as esPerson } from "./es/person.ts";
import { problems as esProblems } from "./es/problems.ts";
import { publicSandbox as esPublicSandbox } from "./es/public-sandbox.ts";
import { resolve as esResolve } from "./es/resolve.ts";
import { signIn as esSignIn } from "./es/sign-in.ts";
import { signUp as esSignUp } from "./es/sign-up.ts";
import { status as esStatus } from "./es/status.ts";
import { statuses as esStatuses } from "./es/statuses.ts";
import { ui as esUi } from "./es/ui.ts";
import type { Locale } from "./locales.ts";
import type { Translation } from "./translation.ts";

/** Harbor's sentences by page, in ICU MessageFormat. `[service]` is the service's name, which is a setting. */
const english = {
  about: enAbout,
  frame: enFrame,
  home: enHome,
  problems: enProblems,
  ui: enUi,
  signUp: enSignUp,
  signIn: enSignIn,
  code: enCode,
  person: enPerson,
  messages: enMessages,
  onboarding: enOnboarding,
  status: enStatus,
  callback: enCallback,
  authorize: enAuthorize,
  statuses: enStatuses,
  payments: enPayments,
  amounts: enAmounts,
  connection: enConnection,
  dashboard: enDashboard,
  business: enBusiness,
  paid: enPaid,
  pay: enPay,
  resolve: enResolve,
  publicSandbox: enPublicSandbox,
};

const spanish: Translation<typeof english> = {
  about: esAbout,
  frame: esFrame,
  home: esHome,
  problems: esProblems,
  ui: esUi,
  signUp: esSignUp,
  signIn: esSignIn,
  code: esCode,
  person: esPerson,
  messages: esMessages,
  onboarding: esOnboarding,
  status: esStatus,
  callback: esCallback,
  authorize: esAuthorize,
  statuses: esStatuses,
  payments: esPayments,
  amounts: esAmounts,
  connection: esConnection,
  dashboard: esDashboard,
  business: esBusiness,
  paid: esPaid,
  pay: esPay,
  resolve: esResolve,
  publicSandbox: esPublicSandbox,
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
