import { brandName } from "../../../../brand/name.ts";

export const signIn = {
  title: "Sign in",
  lead: "Enter your password, and we'll text you a code.",
  leadPhoneVerified: "Your phone is verified. Now enter your password, and we'll text you a code as usual.",
  ended: {
    title: "Your session has ended",
    text: "Nothing was sent. Sign in again to pick up where you left off.",
  },
  noCode: {
    title: "Please start again",
    text: "Your sign-in or sign-up has expired, or your browser blocks cookies. If this happens again, allow cookies for this site.",
  },
  hasAccount: {
    title: "You already have an account",
    text: "Your email address is verified, and it belongs to an account. Sign in with its password.",
  },
  submit: "Continue",
  signUp: `New to ${brandName}? <link>Sign up</link>`,
  demo: {
    title: "Or sign in as a demo user",
    text: "No password needed. The code arrives on the phone in the bar above the page.",
    seller: "{name}, seller",
    operator: "{name}, operator",
    pending: "One moment",
  },
  problems: {
    title: "We couldn't sign you in",
    noMatch: "This email address and password don't match. Check both and try again.",
    waitTitle: "Please wait before you try again",
    waitMinutes: "You've tried too many times. Please try again in {count, plural, one {a minute} other {# minutes}}.",
    waitHours: "You've tried too many times. Please try again in {count} hours.",
  },
} as const;
