import { brandName } from "../../../../brand/name.ts";

export const signUp = {
  title: `Sell on ${brandName}`,
  pageTitle: "Sign up",
  lead: "Creating an account takes one minute. Setting up payments takes two more.",
  phoneHint: "A US number, like (415) 555-0123. We'll text you a code each time you sign in.",
  passwordHint: "At least {min} characters. A short sentence is easy to remember.",
  submit: "Continue",
  signIn: "Already have an account? <link>Sign in</link>",
} as const;

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

export const code = {
  titleEmail: "Check your email",
  titlePhone: "Check your phone",
  titlePhoneFirst: "Verify your phone first",
  leadEmail: "We emailed a {digits}-digit code to {email}. After that, we'll text one to your phone.",
  leadPhone: "We texted a {digits}-digit code to your phone ending in {ending}.",
  leadPhoneOfSignUp:
    "Your email address is verified. We texted a {digits}-digit code to your phone ending in {ending}.",
  leadPhoneFirst:
    "There were too many wrong passwords for this account. To continue on this device, enter the {digits}-digit code we texted to the account's phone. Then enter your password.",
  startOver: "Start over",
  verify: "Verify",
  verifying: "Verifying…",
  resend: "Resend code",
  noEmail:
    "No email? Check your spam folder and the address above, or <link>sign in</link> if you already have an account.",
  noText: "Didn't get a text? Resend the code, or <link>start over</link>.",
  noTextOfSignUp: "Didn't get a text? Check your number, or <link>sign in</link> if you already have an account.",
  changeEmail: {
    title: "Wrong address? Change it",
    hint: "We'll email a new code to this address. Your other answers are kept.",
    submit: "Change address",
  },
  changePhone: {
    title: "Wrong number? Change it",
    hint: "We'll text a new code to this number. Your other answers are kept.",
    submit: "Change number",
  },
  devices: {
    phone: "Your phone",
    inbox: "Your inbox",
  },
  problems: {
    enterFromEmail: "Enter the {digits, select, ten {ten} other {six}} digits from the email.",
    enterFromText: "Enter the {digits, select, ten {ten} other {six}} digits from the text.",
    expired: "This code has expired. Request a new one.",
    lastTry: "That isn't the code, and that was your last try. Request a new one.",
    wrong: "That isn't the code. You have {count, plural, one {1 try} other {# tries}} left.",
    notFromEmail: "That isn't the ten-digit code that we emailed.",
    notFromText: "That isn't the ten-digit code that we texted.",
    longForEmail:
      "Too many wrong codes were entered for this email address today. Enter the ten-digit code that we sent to it.",
    longForPhone:
      "Too many wrong codes were entered for this phone today. Enter the ten-digit code that we sent to it.",
  },
  notices: {
    tooSoon: "A code was sent a moment ago. Please wait {seconds} seconds.",
    sent: "A new code is on its way.",
    longByEmail: "Enter the ten-digit code that we emailed. It works for several hours.",
    longByText: "Enter the ten-digit code that we texted. It works for several hours.",
  },
} as const;

/** Personal details that several pages ask for. */
export const person = {
  firstName: "First name",
  lastName: "Last name",
  email: "Email",
  phone: "Mobile phone",
  password: "Password",
  problems: {
    long: "{what} can have at most {max} characters.",
    characters: "{what} has a character that we can't use. Please type it again.",
    yourFirstName: "Your first name",
    yourLastName: "Your last name",
    yourEmail: "Your email address",
    yourPassword: "Your password",
    noFirstName: "Enter your first name.",
    noLastName: "Enter your last name.",
    noEmail: "Enter your email address.",
    email: "Enter your email address in full, like name@example.com.",
    noPassword: "Enter your password.",
    choosePassword: "Choose a password of at least {min} characters.",
    noPhone: "Enter your mobile phone number.",
    phoneLetters: "Enter your mobile phone number in digits only, like (415) 555-0123.",
    phoneAreaCode: "Check the area code of your mobile phone number. US area codes don't start with 0 or 1.",
    phoneAbroad: "Enter a US mobile phone number. We can send texts to US numbers only.",
    phoneNoAreaCode: "Enter your mobile phone number with its area code, like (415) 555-0123.",
    phone: "Enter your mobile phone number with all ten digits, like (415) 555-0123.",
  },
} as const;

/** Texts and emails. */
export const messages = {
  codeSubject: `Your code for ${brandName}`,
  code: `Your ${brandName} code is {code}. It works for {minutes} minutes. ${brandName} will never call to ask for it.`,
  longCodeSubject: `Your longer code for ${brandName}`,
  longCode: `Your longer ${brandName} code is {code}. It works for several hours. There have been many attempts to sign in or sign up. If they weren't yours, you don't need to do anything. ${brandName} will never call to ask for it.`,
  takenSubject: `You already have an account at ${brandName}`,
  taken: `Someone just tried to sign up at ${brandName} with your email address. If it was you, you already have an account: sign in at {address}. If it wasn't you, you don't need to do anything.`,
} as const;
