import { partnerConfig } from "#lib/partner/config.ts";
import { LivePhone } from "./people/live-phone.tsx";

/** In a sandbox: the phone in the corner with Harbor's texts to whoever is signing in here, or is signed in. */
export function SandboxPhone() {
  return partnerConfig().isSandbox ? <LivePhone /> : null;
}
