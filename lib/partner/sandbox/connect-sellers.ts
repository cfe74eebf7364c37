import { redirect } from "next/navigation";
import { partnerConfig } from "../config.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import { connectDemoPeople } from "./connect-demo-people.ts";

/** The offer to an operator without sellers: the demo's are onboarded, and the form for a payment is shown again. */
export async function submitConnectDemoPeople(): Promise<FormState> {
  if (await connectDemoPeople()) redirect("/routines/new");
  return problemAt(
    "form",
    `${partnerConfig().serviceName} did not take every demo seller. The log says why; try again.`,
  );
}
