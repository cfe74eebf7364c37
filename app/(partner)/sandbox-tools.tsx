import { HarborBar } from "#components/partner/sandbox/harbor-bar.tsx";
import { ServiceNameProvider } from "#components/partner/service-name.tsx";
import { partnerConfig } from "#lib/partner/config.ts";
import { become, decide, freshDemo, freshPerson, jump, resetClocks } from "./sandbox-actions.ts";

/** The sandbox bar on every page of Harbor; nothing outside a sandbox. */
export function SandboxTools() {
  const { isSandbox, serviceName } = partnerConfig();
  if (!isSandbox) return null;
  return (
    <ServiceNameProvider name={serviceName}>
      <HarborBar actions={{ become, decide, jump, resetClocks, freshPerson, freshDemo }} />
    </ServiceNameProvider>
  );
}
