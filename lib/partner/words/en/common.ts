import { brandName } from "../../../../brand/name.ts";

/** How the app describes itself to browsers and search engines. */
export const about = {
  title: `${brandName}: a marketplace that pays its sellers`,
  description: "A marketplace that pays its sellers: the reference integration of Gangway.",
} as const;

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

/** The texts of components/ui; its own English is the same. */
export const ui = {
  optional: "optional",
  error: "Error",
  verificationCode: "Verification code",
  sixDigits: "6 digits.",
  tenDigits: "10 digits, with or without a space.",
  checkedAutomatically: "We’ll check it automatically.",
  progress: "Progress",
  step: "Step %current of %count: %title",
  done: "done",
  notYet: "Not yet",
  close: "Close",
  month: "Month",
  day: "Day",
  year: "Year",
  checkOneAnswer: "Please check one answer",
  checkAnswers: "Please check %count answers",
  didntWork: "That didn't work",
  availableIn: "Available in %seconds s",
  justNow: "just now",
  inAMoment: "in a moment",
  unknown: "unknown",
  copy: "Copy %what",
  copied: "Copied",
  pages: "Pages",
  newer: "Newer",
  older: "Older",
} as const;

/** Problems that any form can have. */
export const problems = {
  notLoadedTitle: `${brandName} didn't answer`,
  notLoaded: "Nothing was sent. Please check your internet connection and try again.",
  outOfDate: "This page is out of date. Please reload it.",
  otherAccountTitle: "You're signed in as {name} now",
  otherAccount:
    "This page is for another account, so nothing was sent. To send it, sign in with that account in another tab, then try again here.",
  noContactTitle: `We can't reach ${brandName} right now`,
  noContact: "This page shows the latest we have. We'll keep trying.",
  noAnswerTitle: "We didn't get an answer",
  noAnswer:
    "We don't know whether this arrived. What you typed is still here. Please send it again in a moment: nothing is done twice.",
} as const;

/** Amounts that the service didn't give in whole cents. */
export const amounts = {
  about: "about {amount}",
  unknown: "Unknown",
  unknownAmount: "an unknown amount",
} as const;

/** Status words of the wire, for readers. A service's other words are shown as they are. */
export const statuses = {
  unknown: "Unknown",
  words: {
    pending: "Pending",
    active: "Active",
    open: "Open",
    processed: "Processed",
    completed: "Completed",
    failed: "Failed",
    cancelled: "Canceled",
    returned: "Returned",
    submitting: "Sending",
    unanswered: "Not confirmed",
    missing: "Not recognized",
    conflicting: "Needs your review",
    paid_twice: "Maybe paid twice",
    refused: "Refused",
    confirmed_arrived: "Confirmed: arrived",
    confirmed_not_arrived: "Confirmed: didn't arrive",
    approved: "Approved",
    rejected: "Rejected",
    suspended: "Suspended",
    retry: "Details don't match",
    document: "Needs a document",
    closed: "Closed",
    verified: "Verified",
    unverified: "Not verified",
    personal: "Personal",
    business: "Business",
    applied: "Applied",
    not_ours: "Not about this app",
    try_later: "Gave up",
    no_reason: "No reason was given",
    unspecified: "No reason was given",
    account_closed: "The receiving account is closed",
    instrument_not_usable: "One of the two accounts is closed",
    insufficient_funds: "Not enough money available",
    user_not_approved: "The business isn't approved to send money",
    not_found: "One of the two accounts no longer exists",
    validation_failed: "The service didn't accept the payment's details",
    said_by_operator: "An operator checked and found that no payment was made",
  },
} as const;
