import { brandName } from "../../../../brand/name.ts";

/** The payments that the business made, as a list and one by one, for operators. */
export const paid = {
  title: "Payments",
  lead: "What the business has paid its sellers, newest first.",
  paySeller: "Pay a seller",
  payMany: "Pay many sellers",
  loading: "Loading payments",
  newest: "Newest",
  payment: "Payment",
  // The phone first, because phones truncate long choices.
  namesake: "{name} (phone\u00a0••{ending}, {email})",
  unknownAccount: "Unknown account",
  columns: {
    what: "For",
    seller: "Seller",
    date: "Date",
    status: "Status",
    amount: "Amount",
  },
  filters: {
    search: "Search",
    status: "Status",
    show: "Show",
    all: "All",
    active: "In progress",
    attention: "Needs attention",
    completed: "Completed",
    failed: "Not completed",
  },
  none: {
    title: "No payments yet",
    text: "Pay a seller, and track the money here.",
  },
  noMatch: {
    title: "No payments match",
    text: "Try other words or another status.",
    action: "Show all",
  },
  notCompared: {
    title: "We can't check this list",
    text: `We can't read a complete list of your payments from [service]. If ${brandName} was restored from a backup, check with [service] before you pay anyone.`,
  },
  attention: {
    title: "{count, plural, one {1 payment needs your review} other {# payments need your review}}",
    text: "We couldn't find out what happened to {count, plural, one {it, or it} other {them, or they}} may have been paid twice. <link>Review {count, plural, one {it} other {them}}</link>",
  },
  page: {
    toSeller: "<amount></amount> to {name}",
    toUnknown: "<amount></amount> to an unknown account",
    whatHappened: "What happened",
    status: "Status",
    transfer: "Transfer",
    paymentId: "Payment ID",
    copyPaymentId: "payment ID",
    transferId: "Transfer ID",
    copyTransferId: "transfer ID",
  },
  events: {
    sent: `Payment sent by ${brandName}`,
    reported: "{what, select, routine {Payment} other {Transfer}} {status}",
    confirmed: "{by} confirmed what happened",
    accepted: "Payment accepted",
    arrives: "The money arrives",
    arrivesAt: "The money arrives at {name}",
    news: "The {what, select, routine {payment} other {transfer}} is now {status}.",
  },
  balances: {
    title: "Balances",
    lead: "What each account held, and when that was read.",
    account: "Account of",
    before: "Before",
    after: "After",
    business: "The business",
    unknown: "Unknown",
    notYet: "Not yet",
  },
  webhooks: {
    title: "Webhooks",
    lead: "Events from [service] about this payment, each verified.",
    none: "None yet.",
    noType: "No type",
    accepted: "Accepted",
    applying: "Being applied",
    duplicates: "{count, plural, one {1 duplicate, ignored} other {# duplicates, ignored}}",
  },
  notices: {
    payAgain:
      "Once the seller's account is fixed, <link>pay it again</link>. We fill in the form, and nothing is sent until you review it.",
    twice: {
      title: "This may have been paid twice",
      text: `[service] has a second record of exactly this payment: <id></id>. ${brandName} sent the payment again with the same idempotency key, which its settings call safe. It won't resend any payment on its own until <link>you've resolved this one</link>.`,
      copyId: "second payment ID",
    },
    sending: {
      title: "We're sending this payment",
      text: "This takes a few seconds at most. You can leave this page.",
    },
    refused: {
      title: "This payment wasn't made",
      text: "{reason}. No money moved.",
      byPerson: "{reason}.",
    },
    failed: {
      title: "This payment didn't arrive",
      text: "{reason}. The money is back in the account it came from.",
    },
    confirmed: {
      arrived: "This payment arrived",
      notArrived: "This payment didn't arrive",
      text: "[service] had reported different results. {by} confirmed this one on <time></time>.",
    },
    found: {
      title: `${brandName} has no record of sending this payment`,
      text: `We found it at [service]. It was made by another app, or before ${brandName} was restored from a backup.`,
    },
    missing: {
      title: "[service] doesn't recognize this payment",
      last: "Its last status was “{status}”, but [service] has no record of it anymore, so the money may not have arrived. This can happen when [service] is restored from a backup. Please don't start a new payment yet. If this one turns up again, we'll keep following it.",
      text: "[service] has no record of it anymore, so the money may not have arrived. This can happen when [service] is restored from a backup. Please don't start a new payment yet. If this one turns up again, we'll keep following it.",
      sendAgain:
        "Ask [service] first. If it confirms that the payment is gone, <link>send it again</link>. It's sent only once, no matter how often you press the button.",
    },
    conflicting: {
      title: "This payment needs your review",
      text: "[service] reported different results: {results}. The money may have arrived, so please don't pay it again yet. Ask [service] which result is right, then <link>record the answer</link>.",
      result: "{what, select, routine {payment} other {transfer}} “{status}”",
      between: ", then ",
      confirmed: "{by} confirmed a result on <time></time>, and another report came after that.",
    },
    unanswered: {
      title: "We don't know yet whether this was paid",
      noAnswer: "We have no answer about this payment, so it may have been made.",
      notUnderstood:
        "[service] answered with success but didn't say how to follow the payment. Most likely it was made.",
      findingOut: "Please don't pay it again. We're finding out, and this page updates as soon as we know.",
      looking: "Please don't pay it again. We keep looking for it, and this page updates as soon as we know.",
      twoDays: "We first sent it more than two days ago.",
      notListed:
        "[service] now refuses this payment and doesn't list it, but can't rule out that our first request still arrives.",
      ask: "We won't send it again. Please ask [service] about it before you pay again. If you know what happened, <link>record it here</link>.",
    },
  },
} as const;
