import { brandName } from "../../../../brand/name.ts";

/** The frame around every page, and the pages for errors. */
export const frame = {
  skip: "Skip to content",
  homeLink: `${brandName}, home`,
  mainNavigation: "Main",
  dashboard: "Dashboard",
  business: "Business",
  payments: "Payments",
  signIn: "Sign in",
  signedInAs: "Signed in as",
  signOut: "Sign out",
  signingOut: "Signing out",
  language: "Language",
  footer: {
    what: `${brandName} is the partner app of Gangway, a reference integration.`,
    caution: "No real money moves here. Please don't enter real information.",
    service: "The service behind it: <service>[service]</service>",
    serviceAndConsole: "The service behind it: <service>[service]</service> and <console>its console</console>",
  },
  notFound: {
    title: "We can't find this page",
    text: "Check the address. The page may also belong to someone else.",
    action: "Go to the home page",
  },
  error: {
    title: "Something went wrong on our side",
    text: "Nothing was lost, and nothing was done twice. It's safe to try again, and we'll retry automatically.",
    action: "Try again",
  },
} as const;
