import { PageHeader } from "#components/ui/page-header.tsx";

type CodeHeaderProps = { digits: number; phoneEnding: string; isPhoneFirst: boolean };

/** Says which code is asked for, and why when it is asked for before the password. */
export function CodeHeader({ digits, phoneEnding, isPhoneFirst }: CodeHeaderProps) {
  return (
    <PageHeader
      title={isPhoneFirst ? "Verify your phone first" : "Check your phone"}
      description={
        isPhoneFirst
          ? `There were too many wrong passwords for this account. To continue on this device, enter the ${digits}-digit code we texted to the account's phone. Then enter your password.`
          : `We texted a ${digits}-digit code to your phone ending in ${phoneEnding}.`
      }
      back={{ href: "/sign-in", label: "Start over" }}
    />
  );
}
