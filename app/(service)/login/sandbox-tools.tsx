import { headers } from "next/headers";
import { VisitBar } from "#components/authorization/sandbox/visit-bar.tsx";
import { PublicBanner } from "#components/sandbox/public-banner.tsx";
import { providers } from "#lib/service/providers.ts";
import { decideByHand, jump } from "./sandbox-actions.ts";

/** Renders nothing outside a sandbox. */
export async function SandboxTools() {
  if (!providers().visitTools) return null;
  const isPublic = (await headers()).has("x-gangway-public-sandbox");
  return (
    <>
      {isPublic ? (
        <PublicBanner>
          This is a private sandbox. The people and the money are made up, and everything is deleted after 24 hours.
          Please don't enter real data.
        </PublicBanner>
      ) : null}
      <VisitBar decide={decideByHand} jump={jump} />
    </>
  );
}
