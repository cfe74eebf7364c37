import { PageHeader } from "#components/ui/page-header.tsx";

type CodeHeaderProps = { digits: number; phoneEnding: string; isPhoneFirst: boolean };

/** Says which code is asked for, and why when it is asked for before the password. */
export function CodeHeader({ digits, phoneEnding, isPhoneFirst }: CodeHeaderProps) {
  const count = digits === 6 ? "six" : "ten";
  return (
    <PageHeader
      title={isPhoneFirst ? "Your phone first" : "Check your phone"}
      description={
        isPhoneFirst
          ? `Too many wrong passwords were tried for this account. To go on from this device, enter the ${count} digits that we are texting to the account's phone; then your password.`
          : `We are sending ${count} digits to your phone ending in ${phoneEnding}.`
      }
      back={{ href: "/sign-in", label: "Start again" }}
    />
  );
}
