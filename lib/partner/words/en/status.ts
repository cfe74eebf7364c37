import { brandName } from "../../../../brand/name.ts";

/** The decision after onboarding. */
export const status = {
  title: "Your payment account",
  oneMoment: "One moment.",
  continue: "Continue to authorize",
  pending: "One moment",
  waiting: {
    title: "We're checking your details",
    news: "We're checking your details.",
    badge: "Pending",
    text: "Our payment service compares what you sent with public records. Most people hear back within seconds. Sometimes a person takes a closer look, which takes longer.",
    sent: "Sent <time></time>. This page updates by itself. You can also come back later.",
  },
  unanswered: {
    title: "We don't know whether your details arrived",
    news: "We don't know whether your details arrived.",
    badge: "Not confirmed",
    text: "We sent your details, but our payment service didn't tell us whether they arrived. Please send them again. It's safe to send them twice.",
    action: "Send them again",
  },
  offered: {
    title: "Please continue at our payment service",
    news: "Please continue at our payment service.",
    badge: "Unknown",
    text: "Our payment service has your details but hasn't shared its decision with us. You'll see it on its own page and then come right back. If it's still deciding, come back here later.",
  },
  approved: {
    title: "You're approved",
    news: "You're approved.",
    badge: "Approved",
    text: `One step is left: allow ${brandName} to show your payment account and to pay you. You do that on our payment service's own page and then come right back.`,
  },
  retry: {
    title: "Some details don't match",
    news: "Some details don't match.",
    badge: "Check again",
    text: "Your date of birth or Social Security number may have a wrong digit. Our payment service will ask you for both again on its own page.",
  },
  document: {
    title: "A photo ID is needed",
    news: "A photo ID is needed.",
    badge: "Document needed",
    text: "Public records weren't enough to confirm who you are. Our payment service will ask you for a photo of your ID on its own page.",
  },
  rejected: {
    title: "We couldn't confirm your details",
    news: "We couldn't confirm your details.",
    badge: "Rejected",
    text: "Our payment service can't open a payment account with the details you sent.",
    noReason: "It gave no reason.",
    reason: "It gave this reason:",
    note: `Usually it's just a typo. Your shop at ${brandName} isn't affected.`,
    action: "Check my details and try again",
  },
} as const;
