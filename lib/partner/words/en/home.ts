import { brandName } from "../../../../brand/name.ts";

export const home = {
  eyebrow: "Payments for sellers",
  headline: `${brandName} pays its sellers.`,
  lead: "Sign up, get approved, and follow every payment until it arrives. It takes about three minutes.",
  signUp: "Sign up as a seller",
  signInAsOperator: "Sign in as the operator",
  goToDashboard: "Go to your dashboard",
  goToPayments: "Go to payments",
  story: {
    caption: `How you get paid, in six steps, between you, ${brandName} and [service]`,
    you: "You",
    seller: "the seller",
    marketplace: "the marketplace",
    service: "your account",
    fromTo: ", from <from></from> to <to></to>",
    signUp: "You sign up and tell us who you are",
    sendDetails: `${brandName} sends your details securely`,
    approve: "You're approved",
    authorize: `You let ${brandName} see your account`,
    connect: `${brandName} connects to your account`,
    pay: `${brandName} pays you, and you see it arrive`,
  },
} as const;

/** The public sandbox: its banner, and why a visitor gets no page. */
export const publicSandbox = {
  banner:
    "This is your own private sandbox. The people and the money are made up, and everything is deleted after 24 hours. Please don't enter real data.",
  full: {
    title: "Every sandbox is taken",
    text: "Please try again later, or run Gangway on your own machine. That takes one command.",
  },
  busy: {
    title: "One moment, please",
    text: "Many people are opening a sandbox right now. Please try again in a minute.",
  },
  too_many_of_address: {
    title: "Too many sandboxes from your network",
    text: "Please try again in an hour, or run Gangway on your own machine. That takes one command.",
  },
  too_fast: {
    title: "That was too fast",
    text: "Please wait ten seconds, then load the page again.",
  },
  used_up: {
    title: "Your sandbox reached its limit",
    text: "It was deleted with everything in it. Go to the home page to get a new one.",
  },
  over: {
    title: "This sandbox is gone",
    text: "A sandbox is deleted after 24 hours. Go to the home page to get a new one.",
  },
  no_browser: {
    title: "Gangway's public sandbox",
    text: "Open this page in a web browser to get your own sandbox.",
  },
  left_out: {
    title: "This part isn't public",
    text: "The public sandbox has no console, API or reference. Run Gangway on your own machine to use them. That takes one command.",
  },
  broken: {
    title: "Something went wrong on our side",
    text: "Please try again in a moment.",
  },
  home: "Go to the home page",
} as const;
