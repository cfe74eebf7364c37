import { brandName } from "../../../../brand/name.ts";

const outage = "Nothing was connected. This usually clears up in a minute. Please try again then.";

/** Why an authorization could not start. */
export const authorize = {
  unreachable: "Our payment service didn't answer. Please try again in a minute.",
  unreadable: "We couldn't read our payment service's answer. Please contact us.",
  customerEndpoint: `Our payment service couldn't confirm with ${brandName} who you are. Please contact us.`,
  notNow: "Our payment service can't do this right now. Please try again in a minute.",
  otherPhone:
    "Our payment service has a different phone number for you than the one you sign in with here. Please contact us.",
  refused: "Our payment service couldn't open its page for you. Please contact us.",
} as const;

/** Authorizations that came back from the service without a connection. */
export const callback = {
  pageTitle: "Not connected",
  again: "Try again",
  links: {
    signIn: "Sign in",
    business: "Back to the business",
    dashboard: "Back to your dashboard",
    onboarding: "Back to your payment account",
  },
  problems: {
    denied: {
      title: `You didn't authorize ${brandName}`,
      text: "Nothing was connected, and nothing changed. You can authorize anytime.",
    },
    expired_code: {
      title: "That took too long",
      text: "Your approval expired or was already used, so nothing was connected. Please authorize again.",
    },
    unknown_attempt: {
      title: "We can't match this to a request from you",
      text: "You may have started in another browser or too long ago. If your account isn't connected yet, start again here.",
    },
    missing_state: {
      title: "We can't tell which request this answers",
      text: "To keep you safe, we stopped here. Trying again won't help until we fix this. Please contact us.",
    },
    wrong_issuer: {
      title: "This response didn't come from [service]",
      text: `To keep you safe, we stopped here. Please start again from ${brandName}.`,
    },
    other_person: {
      title: "Someone else is signed in here",
      text: `This request belongs to another ${brandName} account. Sign in to that account and start again.`,
    },
    signed_out: {
      title: "Your session ended before you came back",
      text: "Nothing was connected. Please sign in and start again.",
    },
    other_user: {
      title: "That was a different account",
      text: "The [service] account you authorized isn't yours, so we didn't connect it. Please authorize your own account.",
    },
    unavailable: {
      title: "[service] didn't answer",
      text: outage,
    },
    not_now: {
      title: "[service] can't do this right now",
      text: outage,
    },
    not_understood: {
      title: "We couldn't read the answer",
      text: `[service] sent ${brandName} an answer we couldn't read, so nothing was connected. If this happens again, please contact us.`,
    },
    failed: {
      title: "Your account wasn't connected",
      text: "[service] couldn't finish the authorization. Please try again.",
    },
  },
} as const;

/** The connection to the service, on every page that needs one. */
export const connection = {
  title: "Connection",
  access: `${brandName}'s access to your account at [service].`,
  connected: "Connected",
  notConnected: "Not connected",
  authorizeAgain: "Authorize again",
  connectBusiness: "Connect the business",
  opening: "Opening [service]",
  tryAgain: "Try again",
  asking: "Asking [service]",
  stillWaiting: "This is taking longer than usual. We're still waiting for [service].",
  disconnect: {
    action: "Disconnect",
    title: "Disconnect from [service]?",
    keep: "Stay connected",
    confirm: "Yes, disconnect",
    pending: "Disconnecting",
    noAnswer: "[service] didn't answer, so you may still be connected. Please try again.",
    notEnded: "[service] couldn't end the connection, so you may still be connected. Please try again.",
  },
  deleted: {
    title: `${brandName} has deleted its access`,
    text: "[service] can't end it right away. It ends within ten days, or sooner if you ask [service].",
  },
  problems: {
    notConnected: {
      title: `${brandName} isn't connected`,
      text: `Authorize ${brandName}, and you'll come right back here.`,
    },
    disconnected: {
      title: {
        you: `You disconnected ${brandName}`,
        operator: `An operator disconnected ${brandName}`,
      },
      text: `The money is still at [service]. Authorize ${brandName} to see it here again.`,
    },
    ended: {
      title: `${brandName}'s connection has ended`,
      text: `[service] no longer accepts it. That happens after a long break, or when access was ended at [service]. Authorize ${brandName} again, and you'll come right back here.`,
    },
    unusable: {
      title: "We can't use the answer from [service]",
      text: `Nothing is lost. Try again in a minute. If that doesn't help, authorize ${brandName} again.`,
    },
    noAnswer: {
      title: "[service] isn't answering right now",
      text: "Nothing is lost. This usually clears up in a minute.",
    },
  },
  record: {
    title: "Developer data",
    yours: "Your record at [service]",
    business: "The business's record at [service]",
    status: "Status",
    name: "Name",
    email: "Email",
    phone: "Phone",
    userId: "User ID",
    userType: "Kind of user",
    kycType: "Identity check",
    receiveOnly: "Receive only",
    yes: "Yes",
    no: "No",
    unknown: "Unknown",
    reasons: "Reasons",
    metadata: "Metadata",
    noMetadata: "No metadata.",
    tokens: "Tokens",
    noTokens: "No tokens.",
    accessTokenEnds: "Access token ends",
    refreshTokenEnds: "Refresh token ends",
    issued: "Issued",
  },
} as const;
