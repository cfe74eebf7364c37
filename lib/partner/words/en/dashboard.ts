import { brandName } from "../../../../brand/name.ts";

export const dashboard = {
  title: "Dashboard",
  lead: "Hello {name}. Here's your money at [service].",
  disconnectConsequence: `${brandName} will no longer see your account. Your money stays yours, and you can connect again anytime.`,
  unpayable: {
    title: `${brandName} can't pay you right now`,
    text: `Your status is “{status}”. ${brandName} will pay you again once that changes.`,
  },
  balanceNote:
    "This money is yours. It stays in your account at [service] until you move it. Moving it to your bank or a card isn't part of this demo.",
  payments: {
    title: "Payments",
    lead: `What ${brandName} has sent you, newest first.`,
    all: "All payments",
    notLoaded: "We can't load your payments from [service] right now. You may have some.",
    noneTitle: "No payments yet",
    none: `They appear here as soon as ${brandName} pays you.`,
  },
} as const;
