import { Alert } from "#components/ui/alert.tsx";
import { Button } from "#components/ui/button.tsx";
import { Field } from "#components/ui/field.tsx";
import { TextInput } from "#components/ui/text-input.tsx";

export function SignInForm({
  problem,
  returnTo,
  seededClientId,
}: {
  problem?: string;
  /** The console page to open after signing in. */
  returnTo: string;
  seededClientId?: string;
}) {
  return (
    <div className="mx-auto flex w-full max-w-lg flex-col gap-6 py-6">
      <div>
        <h1 className="text-3xl sm:text-4xl">Console</h1>
        <p className="mt-2 text-lg text-ink-soft">See what your app did, step by step.</p>
      </div>
      {problem === "invalid_client" ? (
        <Alert tone="danger" title="Wrong client id or secret" />
      ) : problem === "ended" ? (
        <Alert tone="danger" title="Your client id or secret no longer works" />
      ) : problem ? (
        <Alert tone="warning" title="The service isn’t responding">
          Try again in a moment.
        </Alert>
      ) : null}
      <form action="/console/session" method="post" className="flex flex-col gap-5">
        <input type="hidden" name="return_to" value={returnTo} />
        <Field label="Client id" htmlFor="client_id">
          <TextInput id="client_id" name="client_id" autoComplete="username" spellCheck={false} required />
        </Field>
        <Field label="Client secret" htmlFor="client_secret">
          <TextInput id="client_secret" name="client_secret" type="password" autoComplete="current-password" required />
        </Field>
        <Button type="submit">Sign in</Button>
      </form>
      {seededClientId ? (
        <form action="/console/session" method="post" className="flex flex-col gap-3 border-t border-line pt-5">
          <input type="hidden" name="return_to" value={returnTo} />
          <p className="text-sm text-ink-soft">
            This sandbox comes with a demo client with public credentials:{" "}
            <code className="font-mono">{seededClientId}</code>.
          </p>
          <Button type="submit" name="seeded" value="1" variant="secondary">
            Continue as the demo client
          </Button>
        </form>
      ) : null}
    </div>
  );
}
