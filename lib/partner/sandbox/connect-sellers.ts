import { redirect } from "next/navigation";
import type { Partner } from "../partner.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import { connectDemoPeople } from "./connect-demo-people.ts";

/** The offer to an operator without sellers: the demo's are onboarded, and the form for a payment is shown again. */
export async function submitConnectDemoPeople(partner: Partner): Promise<FormState> {
  if (await connectDemoPeople(partner)) redirect("/routines/new");
  return problemAt(
    "form",
    `${partner.config.serviceName} did not take every demo seller. The log says why; try again.`,
  );
}
