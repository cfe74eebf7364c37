import { cookies } from "next/headers";
import { partnerConfig } from "#lib/partner/config.ts";
import { inspectorCookie } from "./inspector-cookie.ts";
import { InspectorFrame } from "./inspector-frame.tsx";

/** The inspector of whoever is signed in, as they left it: open or closed. Nothing outside a sandbox. */
export async function Inspector() {
  if (!partnerConfig().isSandbox) return null;
  return <InspectorFrame isOpenAtFirst={(await cookies()).get(inspectorCookie)?.value === "open"} />;
}
