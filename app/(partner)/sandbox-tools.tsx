import { HarborBar } from "#components/partner/sandbox/harbor-bar.tsx";
import { ServiceNameProvider } from "#components/partner/service-name.tsx";
import { partner } from "#lib/partner/process-partner.ts";
import { become, decide, freshDemo, freshPerson, jump, resetClocks } from "./sandbox-actions.ts";

/** The sandbox bar on every page of Harbor; nothing outside a sandbox. */
export function SandboxTools() {
  const { isSandbox, serviceName } = partner().config;
  if (!isSandbox) return null;
  return (
    <ServiceNameProvider name={serviceName}>
      <HarborBar actions={{ become, decide, jump, resetClocks, freshPerson, freshDemo }} />
    </ServiceNameProvider>
  );
}
