import { brandName } from "../../../../brand/name.ts";

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
      text: "Nothing was connected. This usually clears up in a minute. Please try again then.",
    },
    not_now: {
      title: "[service] can't do this right now",
      text: "Nothing was connected. This usually clears up in a minute. Please try again then.",
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
