export const code = {
  pageTitle: "Enter your code",
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
  noText: "Didn't get a text? Check your number, or <link>sign in</link> if you already have an account.",
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
    notFromEmail: "That isn't the code from our latest email.",
    notFromText: "That isn't the code from our latest text.",
    longForEmail:
      "Too many wrong codes were entered for this email address today. Enter the ten-digit code that we sent to it.",
    longForPhone:
      "Too many wrong codes were entered for this phone today. Enter the ten-digit code that we sent to it.",
  },
  notices: {
    tooSoon: "A code was sent a moment ago. Please wait {seconds} seconds.",
    sent: "A new code is on its way.",
    longByEmail:
      "We've sent many codes to this email address. Enter the ten-digit code from our latest email. It works for several hours.",
    longByText:
      "We've sent many codes to this phone. Enter the ten-digit code from our latest text. It works for several hours.",
  },
} as const;
