import { cookies } from "next/headers";
import { partner } from "#lib/partner/process-partner.ts";
import { ServiceNameProvider } from "../service-name.tsx";
import { inspectorCookie, inspectorKeyCookie } from "./inspector-cookie.ts";
import { InspectorFrame } from "./inspector-frame.tsx";

export async function Inspector() {
  const { isSandbox, serviceName } = partner().config;
  if (!isSandbox) return null;
  const chosen = await cookies();
  return (
    <ServiceNameProvider name={serviceName}>
      <InspectorFrame
        isOpenAtFirst={chosen.get(inspectorCookie)?.value === "open"}
        isKeyOnAtFirst={chosen.get(inspectorKeyCookie)?.value !== "off"}
      />
    </ServiceNameProvider>
  );
}
