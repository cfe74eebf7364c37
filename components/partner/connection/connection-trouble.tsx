import { ButtonLink } from "#components/ui/button-link.tsx";
import { Card } from "#components/ui/card.tsx";
import type { FormAction } from "../use-form-action.ts";
import { AuthorizeForm } from "./authorize-form.tsx";

/** In the place of what only the service could have told: why it is not here, and the one thing to do. */
export function ConnectionTrouble({
  kind,
  authorize,
  label,
  returnTo,
}: {
  kind: "reauthorization_required" | "unavailable";
  authorize: FormAction;
  label: string;
  returnTo: string;
}) {
  if (kind === "unavailable") {
    return (
      <Card
        title="Plainbook does not answer right now"
        description="Nothing is lost. This is usually over in a minute."
      >
        <ButtonLink href={returnTo} variant="secondary">
          Try again
        </ButtonLink>
      </Card>
    );
  }
  return (
    <Card
      title="Harbor is not connected"
      description="There is no authorization, or it has ended. Authorize Harbor and you are back here."
    >
      <AuthorizeForm action={authorize} label={label} returnTo={returnTo} />
    </Card>
  );
}
