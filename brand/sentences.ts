import { brandName } from "#brand/name.ts";

/** What the partner app says of itself and to whom. What it says of a person's own affairs stands beside the page. */
export const sentences = {
  title: `${brandName}: a marketplace that pays its sellers`,
  description: "A marketplace that pays its sellers: the reference integration of Gangway.",
  home: {
    eyebrow: "A reference integration you can run",
    headline: `${brandName} pays its sellers.`,
    lead: "A small marketplace, wired to a money-movement service the right way. Every click here is a real call through the published interface, to a complete service on this machine.",
  },
  seller: {
    who: `Sell on ${brandName}`,
    what: `Sign up, get approved, authorize ${brandName}, see your balance.`,
    action: "Sign up as a seller",
    signUp: "Creating an account takes one minute. Setting up payments takes two more.",
  },
  operator: {
    who: `Run ${brandName}`,
    what: "Connect the business, pay a seller, watch it arrive.",
    action: "Sign in as the operator",
  },
  footer: {
    what: `${brandName} is the partner app of Gangway, a reference integration that runs on this machine.`,
    caution: "No real money moves here. Please don't enter real information.",
  },
};
