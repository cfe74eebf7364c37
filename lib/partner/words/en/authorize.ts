import { brandName } from "../../../../brand/name.ts";

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
