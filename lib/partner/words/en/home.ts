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
