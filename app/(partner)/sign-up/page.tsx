import type { Metadata } from "next";
import { SignUp } from "#components/partner/people/sign-up.tsx";
import { PageWords } from "#components/partner/words/page-words.tsx";
import { words } from "#lib/partner/words/words.ts";
import { signUp } from "./actions.ts";

export function generateMetadata(): Metadata {
  return { title: words("signUp")("pageTitle") };
}

export default function SignUpPage() {
  return (
    <PageWords of={["signUp", "person"]}>
      <SignUp action={signUp} />
    </PageWords>
  );
}
