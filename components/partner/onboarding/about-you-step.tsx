import { DescriptionList } from "#components/ui/description-list.tsx";
import { FormField } from "./form-field.tsx";

/** Who the person is, by law. E-mail address and phone are the account's and only shown. */
export function AboutYouStep({ email, phone }: { email: string; phone: string }) {
  return (
    <>
      <div className="grid gap-6 sm:grid-cols-2">
        <FormField name="first_name" label="First name" autoComplete="given-name" />
        <FormField name="last_name" label="Last name" autoComplete="family-name" />
      </div>
      <FormField name="date_of_birth" label="Date of birth" type="date" autoComplete="bday" className="max-w-60" />
      <FormField
        name="ssn"
        label="Social security number"
        hint="All nine digits, or the last four. It goes to our payment service, and Harbor keeps it nowhere."
        autoComplete="off"
        inputMode="numeric"
        spellCheck={false}
        className="max-w-60"
      />
      <DescriptionList
        items={[
          { term: "E-mail", details: email },
          { term: "Mobile phone", details: phone },
        ]}
      />
    </>
  );
}
