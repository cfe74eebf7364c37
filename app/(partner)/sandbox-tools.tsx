import { headers } from "next/headers";
import { HarborBar } from "#components/partner/sandbox/harbor-bar.tsx";
import { ServiceNameProvider } from "#components/partner/service-name.tsx";
import { PublicBanner } from "#components/sandbox/public-banner.tsx";
import { partner } from "#lib/partner/process-partner.ts";
import { words } from "#lib/partner/words/words.ts";
import { decide, freshDemo, freshPerson, jump, resetClocks, switchPerson } from "./sandbox-actions.ts";

/** The sandbox bar on every page of Harbor; nothing outside a sandbox. */
export async function SandboxTools() {
  const { isSandbox, serviceName } = partner().config;
  if (!isSandbox) return null;
  const isPublic = (await headers()).has("x-gangway-public-sandbox");
  return (
    <ServiceNameProvider name={serviceName}>
      {isPublic ? <PublicBanner>{words("publicSandbox")("banner")}</PublicBanner> : null}
      <HarborBar actions={{ switchPerson, decide, jump, resetClocks, freshPerson, freshDemo }} />
    </ServiceNameProvider>
  );
}
