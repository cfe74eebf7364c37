import { DescriptionList } from "#components/ui/description-list.tsx";
import type { ClientSettingsRecord } from "#lib/contract/sandbox.ts";
import { CallForm } from "../calls/call-form.tsx";
import { ConsoleLink } from "../console-link.tsx";
import { ConsolePage, ConsoleSection, NotRead, type PageProps } from "../console-page.tsx";

export function Settings({ settings, lastEvent }: PageProps<{ settings: ClientSettingsRecord }>) {
  return (
    <ConsolePage
      title="Settings"
      description="In production, the service’s operator sets these for each client."
      lastEvent={lastEvent}
    >
      {settings ? <Known settings={settings} /> : <NotRead path="/sandbox/client" />}
      <ConsoleSection title="Webhooks">
        <p>
          Change the URL and the secret on the <ConsoleLink href="/console/webhooks">Webhooks page</ConsoleLink>.
        </p>
      </ConsoleSection>
      <ConsoleSection
        title="New client"
        description="Gets its own clock, people, money, and event log. Its secrets are shown here once. Sign in with them to open its console."
      >
        <CallForm call={{ method: "POST", path: "/sandbox/clients" }} button="Create client" showsAnswer />
      </ConsoleSection>
    </ConsolePage>
  );
}

function Known({ settings }: { settings: ClientSettingsRecord }) {
  const call = { method: "PUT", path: "/sandbox/client" } as const;
  return (
    <>
      <ConsoleSection title="This client" call={{ method: "GET", path: "/sandbox/client" }}>
        <DescriptionList
          items={[
            { term: "Client id", details: <code className="font-mono text-sm break-all">{settings.client_id}</code> },
            { term: "Provider", details: settings.provider ?? "none" },
            { term: "Trusted authentication", details: settings.trusted_authentication ? "on" : "off" },
            { term: "Customer endpoint", details: settings.customers_url ?? "none" },
            {
              term: "Redirect URIs",
              details: settings.redirect_uris.length === 0 ? "none" : settings.redirect_uris.join(", "),
            },
          ]}
        />
      </ConsoleSection>
      <ConsoleSection title="Redirect URIs">
        <CallForm
          call={call}
          fields={[
            {
              name: "redirect_uris",
              label: "Redirect URIs, one per line",
              kind: "lines",
              initial: settings.redirect_uris.join("\n"),
            },
          ]}
          button="Save redirect URIs"
        />
      </ConsoleSection>
      <ConsoleSection title="Trusted authentication">
        <div className="flex flex-wrap items-end gap-x-10 gap-y-6">
          <CallForm
            call={call}
            fields={[
              {
                name: "trusted_authentication",
                label: "Allowed",
                kind: "yes_or_no",
                initial: settings.trusted_authentication ? "yes" : "no",
              },
            ]}
            button="Save trusted authentication"
          />
          <CallForm
            call={call}
            fields={[
              {
                name: "customers_url",
                label: "Your customer endpoint",
                kind: "text",
                initial: settings.customers_url ?? "",
                hint: "The part before /v1/customers.",
              },
            ]}
            button="Save URL"
            about="customer endpoint"
          />
          <CallForm
            call={call}
            fields={[{ name: "provider", label: "Provider", kind: "text", initial: settings.provider ?? "" }]}
            button="Save provider"
            about="provider"
          />
        </div>
      </ConsoleSection>
    </>
  );
}
