import { brandName } from "../../../../brand/name.ts";

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
