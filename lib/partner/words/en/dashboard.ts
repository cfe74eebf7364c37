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

/** A seller's payments and balance. */
export const payments = {
  title: "Payments",
  lead: `Everything ${brandName} has sent you, newest first.`,
  loading: "Loading your payments",
  newest: "Newest",
  payment: "Payment",
  returnedPayment: "Returned payment",
  columns: {
    what: "For",
    when: "When",
    status: "Status",
    amount: "Amount",
  },
  unknownTime: "Unknown",
  outcomes: {
    open: "On its way",
    succeeded: "Arrived",
    cancelled: "Canceled",
    failed: "Didn't arrive",
    returned: "Returned",
  },
  none: {
    title: "No payments yet",
    text: `They'll appear here as soon as ${brandName} pays you.`,
    action: "Go to your dashboard",
  },
  end: {
    title: "No older payments",
    text: "You've reached the end of the list.",
  },
  unavailable: {
    title: "We can't load your payments right now",
    text: "Your money isn't affected. We'll keep trying. If this doesn't clear up, check your connection on <link>your dashboard</link>.",
  },
  notConnected: {
    title: `${brandName} isn't connected to your account`,
    text: `Your money isn't affected. To see your payments here, authorize ${brandName} on <link>your dashboard</link>.`,
  },
  lastKnown: {
    title: "This may be out of date",
    offline: "You're offline. What you see is as of <time></time>. We'll update it when you're back online.",
    harbor: `We can't reach ${brandName}. What you see is as of <time></time>. We'll keep trying.`,
    service: "We can't reach [service]. What you see is as of <time></time>. We'll keep trying.",
  },
  weeks: {
    title: "Received by week",
    lead: "{total} in the last {count} weeks, not counting returned payments.",
    week: "Week of {day}: {amount}",
  },
  page: {
    whatHappened: "What happened",
    details: "Details",
    id: "Payment ID",
    copyId: "payment ID",
  },
  events: {
    sent: `Sent by ${brandName}`,
    arrived: "Arrived in your account",
    arrives: "Arrives in your account",
    cancelled: "Canceled",
    failed: "Didn't arrive",
    returned: `Returned to ${brandName}`,
  },
  next: {
    open: {
      title: "This payment is on its way",
      text: "Most payments arrive within a minute. Some take a few business days. You don't need to do anything, and this page updates by itself.",
    },
    arrived: {
      title: "This payment has arrived",
      text: "The money is in your account. You don't need to do anything.",
    },
    unchecked: {
      title: "This payment arrived",
      text: "We can't check right now whether it was returned later.",
    },
    takenBack: {
      title: "This payment was returned",
      text: `It arrived, and then [service] sent it back to ${brandName}. Reason: {reason}. That lowered your balance by {amount}. <link>View the return</link>`,
    },
    isReturn: {
      title: `This money went back to ${brandName}`,
      text: `[service] took it out of your account. Reason: {reason}. Ask ${brandName} what comes next. <link>View the original payment</link>`,
    },
    failed: {
      title: "This payment didn't arrive",
      text: `{reason}. The money went back to ${brandName}, which can pay you again. Check that your account is open. If it isn't, ask [service] to reopen it, then authorize ${brandName} again on your dashboard.`,
    },
    someFailed: {
      title: "A payment didn't arrive",
      text: `The money went back to ${brandName}, which can pay you again. Check that your account is open. If it isn't, ask [service] to reopen it, then authorize ${brandName} again.`,
    },
  },
  news: {
    what: "{amount} for {name}",
    open: "{what} is on its way.",
    arrived: "{what} has arrived.",
    failed: "{what} didn't arrive: {reason}.",
    returned: "A payment of {amount} was returned.",
    balance: "Your balance is {amount}.",
  },
  statement: {
    title: "Statement",
    lead: `Payments from ${brandName} to {name}, oldest first, as of <time></time>.`,
    loading: "Loading your statement",
    print: "Print",
    download: "Download (CSV)",
    file: "payments.csv",
    date: "Date (UTC)",
    amountInDollars: "Amount (USD)",
    received: "Arrived",
    returned: "Returned",
    total: "Total",
    unknownAmounts: "Payments with an unknown amount aren't in the totals.",
    none: `${brandName} hasn't sent you any payments yet.`,
    unavailable: "We can't load all of your payments right now. Please try again in a minute.",
  },
  balance: {
    title: "Balance",
    asOf: "As of <time></time>",
    accounts: "Accounts",
    account: "Account",
    available: "Available",
    partial: {
      title: "Some accounts aren't shown here",
      text: "We couldn't load all of them. The money in them isn't affected.",
    },
    unavailable: {
      title: "We can't load your balance right now",
      text: "Your money isn't affected. We'll keep trying.",
    },
    none: {
      title: "No account yet",
      text: "[service] hasn't opened one yet.",
      awaiting: "[service] opens one as soon as you're approved.",
    },
  },
} as const;
