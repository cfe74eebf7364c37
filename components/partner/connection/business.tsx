import { ButtonLink } from "#components/ui/button-link.tsx";
import { Card } from "#components/ui/card.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import type { ConnectedUser } from "#lib/partner/connections/read-connected-user.ts";
import { AccountsCard } from "./accounts-card.tsx";
import { type AuthorizeAction, AuthorizeForm } from "./authorize-form.tsx";
import { ConnectionCard } from "./connection-card.tsx";
import { ConnectionTrouble } from "./connection-trouble.tsx";
import { UserCard } from "./user-card.tsx";

/** The business's page: what pays the sellers. `connected` is undefined before an operator connects it. */
export function Business({
  connected,
  authorize,
  disconnect,
}: {
  connected: ConnectedUser | undefined;
  authorize: AuthorizeAction;
  disconnect: (previous: string) => Promise<string>;
}) {
  const isReady = connected?.kind === "ok";
  return (
    <>
      <PageHeader
        title="Business"
        description="The account that Harbor pays its sellers from."
        actions={isReady ? <ButtonLink href="/routines/new">Pay a seller</ButtonLink> : null}
      />
      {connected === undefined ? (
        <Card
          title="Connect the business"
          description="You authorize once for Harbor as a business; any operator can then pay sellers."
        >
          <AuthorizeForm action={authorize} label="Connect the business" />
        </Card>
      ) : connected.kind === "ok" ? (
        <div className="grid items-start gap-6 lg:grid-cols-[3fr_2fr]">
          <AccountsCard accounts={connected.accounts} />
          <div className="flex min-w-0 flex-col gap-6">
            <UserCard user={connected.user} />
            <ConnectionCard
              connection={connected.connection}
              authorize={authorize}
              disconnect={disconnect}
              consequence="No operator can then pay a seller until the business is connected again."
            />
          </div>
        </div>
      ) : (
        <ConnectionTrouble
          kind={connected.kind}
          authorize={authorize}
          label="Connect the business"
          returnTo="/business"
        />
      )}
    </>
  );
}
