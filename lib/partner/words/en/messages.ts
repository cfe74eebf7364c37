import { brandName } from "../../../../brand/name.ts";

/** Texts and emails. */
export const messages = {
  codeSubject: `Your code for ${brandName}`,
  code: `Your ${brandName} code is {code}. It works for {minutes} minutes. ${brandName} will never call to ask for it.`,
  longCodeSubject: `Your longer code for ${brandName}`,
  longCode: `Your longer ${brandName} code is {code}. It works for several hours. Someone is requesting many codes. If it isn't you, you don't need to do anything. ${brandName} will never call to ask for it.`,
  takenSubject: `You already have an account at ${brandName}`,
  taken: `Someone just tried to sign up at ${brandName} with your email address. If it was you, you already have an account: sign in at {address}. If it wasn't you, you don't need to do anything.`,
} as const;
