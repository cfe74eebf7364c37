import { DescriptionList } from "#components/ui/description-list.tsx";
import { formatPhone } from "#lib/kit/us-phone.ts";
import { questionsOf } from "./onboarding-steps.ts";
import { QuestionFields } from "./question-fields.tsx";

/** The legal name and identity of the person. Email address and phone are the account's and only shown. */
export function AboutYouStep({ email, phone }: { email: string; phone: string }) {
  return (
    <>
      <QuestionFields names={questionsOf("About you")} />
      <DescriptionList
        items={[
          { term: "Email", details: email },
          { term: "Mobile phone", details: formatPhone(phone) },
        ]}
      />
    </>
  );
}
