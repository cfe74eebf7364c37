import { chooseProviders, productionProviders } from "../../../lib/service/providers.ts";
import { startServiceWorkers } from "../../../lib/service/workers/start-workers.ts";

// The service's workers in their own process. Production workers need a screening provider; this one approves everyone.

const approve = async () => ({ kind: "approved" as const });

chooseProviders({
  ...productionProviders(),
  screening: { ask: approve, poll: approve },
});
const workers = startServiceWorkers();
process.once("SIGTERM", async () => {
  await workers.stop();
  process.exit(0);
});
process.send?.("ready");
