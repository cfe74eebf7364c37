import type { Metadata } from "next";
import { SignUp } from "#components/partner/people/sign-up.tsx";
import { signUp } from "./actions.ts";

export const metadata: Metadata = { title: "Sign up" };

export default function SignUpPage() {
  return <SignUp action={signUp} />;
}
