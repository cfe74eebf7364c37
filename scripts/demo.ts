import { brandName } from "../brand/name.ts";
import { partner } from "../lib/partner/process-partner.ts";
import { requireMatchingAddresses } from "./addresses.ts";
import { requireFreePorts } from "./ports.ts";
import { startApps } from "./start-apps.ts";

// Both apps and their database. To see what `npm run demo` does, read this and start-apps.ts from top to bottom.

const args = process.argv.slice(2);
// The public demo: a sandbox for each visitor.
const publicDemo = args.length > 0 ? (await import("./public-demo.ts")).publicDemo(args) : undefined;

await startApps({
  command: "demo",
  apps: ["service", "partner"],
  roles: "all",
  check: async () => {
    const { PARTNER_BASE_URL: partnerUrl = "", SERVICE_BASE_URL: serviceUrl = "" } = process.env;
    requireMatchingAddresses(process.env);
    await requireFreePorts([partnerUrl, serviceUrl, process.env["SERVICE_AUTH_URL"] || serviceUrl]);
  },
  greet: async ({ seconds, logFile }) => {
    const { PARTNER_BASE_URL: partnerUrl = "", SERVICE_BASE_URL: serviceUrl = "" } = process.env;
    const authUrl = process.env["SERVICE_AUTH_URL"] || serviceUrl;
    // Only a sandbox has a console.
    const consoleLine =
      process.env["SERVICE_MODE"] === "sandbox"
        ? `\n  Its console                ${authUrl}/console (each step as the service sees it)`
        : "";
    const { connectDemoPeople } = await import("../lib/partner/sandbox/connect-demo-people.ts");
    const sellers = (await connectDemoPeople(partner()))
      ? "Nils and Ada are onboarded and can be paid."
      : "Nils or Ada couldn't be onboarded; see the log.";
    return `
Gangway runs, ready in ${seconds} s. ${sellers}

  ${`${brandName}, the partner app`.padEnd(25)}  ${partnerUrl}
  Plainbook, the service     ${serviceUrl} (its first calls; reference at /docs)${consoleLine}
  Log                        ${logFile}

Try this first, in one window and without typing: the sandbox bar on every page fills in the forms.
  1. Open ${partnerUrl}, sign up as a seller, enter your details, and press Authorize.
  2. "Now pay yourself, as Olive": review, confirm, and watch it arrive.
  3. "See it as" you: the money is on your dashboard.

The bar also picks outcomes (rejected, pending, asked again, photo ID; a payment that fails or waits), decides pending
ones, moves both clocks, switches people, and starts over.

Ctrl-C stops everything, including the database.
`;
  },
  ...publicDemo,
});
