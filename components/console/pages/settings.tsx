import { DescriptionList } from "#components/ui/description-list.tsx";
import type { ClientSettingsRecord } from "#lib/contract/sandbox.ts";
import { CallForm } from "../calls/call-form.tsx";
import { ConsoleLink } from "../console-link.tsx";
import { ConsolePage, ConsoleSection } from "../console-page.tsx";
import { NotRead } from "../page-part.tsx";

type SettingsProps = { settings: ClientSettingsRecord | undefined; lastEvent: string | undefined };

/** What an operator of the service would set for the client. */
export function Settings({ settings, lastEvent }: SettingsProps) {
  return (
    <ConsolePage
      title="Settings"
      says="What an operator of the service sets for a client. What you leave as it is stays."
      lastEvent={lastEvent}
    >
      {settings ? <Known settings={settings} /> : <NotRead path="/sandbox/client" />}
      <ConsoleSection title="Webhooks and their secret">
        <p>
          The address and the secret are on <ConsoleLink href="/console/webhooks">the page of the webhooks</ConsoleLink>
          .
        </p>
      </ConsoleSection>
      <ConsoleSection
        title="A fresh client"
        says="With its own clock, people, money and record. Its secrets are shown once, here. Sign in with them to see its console."
      >
        <CallForm call={{ method: "POST", path: "/sandbox/clients" }} button="Make a client" showsAnswer />
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
            { term: "Customers are at", details: settings.customers_url ?? "none" },
            {
              term: "May send people back to",
              details: settings.redirect_uris.length === 0 ? "nowhere" : settings.redirect_uris.join(", "),
            },
          ]}
        />
      </ConsoleSection>
      <ConsoleSection title="Where people come back to">
        <CallForm
          key={settings.redirect_uris.join(" ")}
          call={call}
          fields={[
            {
              name: "redirect_uris",
              label: "Redirect addresses, one a line",
              kind: "lines",
              initial: settings.redirect_uris.join("\n"),
            },
          ]}
          button="Save the addresses"
        />
      </ConsoleSection>
      <ConsoleSection title="Trusted authentication">
        <div className="flex flex-wrap items-end gap-x-10 gap-y-6">
          <CallForm
            key={String(settings.trusted_authentication)}
            call={call}
            fields={[
              {
                name: "trusted_authentication",
                label: "Allowed",
                kind: "yes_or_no",
                initial: settings.trusted_authentication ? "yes" : "no",
              },
            ]}
            button="Save whether it is allowed"
          />
          <CallForm
            key={settings.customers_url}
            call={call}
            fields={[
              {
                name: "customers_url",
                label: "Your customer endpoint",
                kind: "text",
                initial: settings.customers_url ?? "",
                hint: "What comes before /v1/customers.",
              },
            ]}
            button="Save the address"
            about="customer endpoint"
          />
          <CallForm
            key={settings.provider}
            call={call}
            fields={[{ name: "provider", label: "Provider", kind: "text", initial: settings.provider ?? "" }]}
            button="Save the name"
            about="provider"
          />
        </div>
      </ConsoleSection>
    </>
  );
}
