import { VisitBar } from "#components/authorization/sandbox/visit-bar.tsx";
import { providers } from "#lib/service/providers.ts";
import { decideByHand, jump } from "./sandbox-actions.ts";

/** Renders nothing outside a sandbox. */
export function SandboxTools() {
  return providers().visitTools ? <VisitBar decide={decideByHand} jump={jump} /> : null;
}
