import { chooseProviders, productionProviders, type ScreeningDecision } from "../../../lib/service/providers.ts";
import { startServiceWorkers } from "../../../lib/service/workers/start-workers.ts";

// The service's workers in a process of their own. A production worker of server.ts starts only once a screening provider is
// connected; here is one that approves everybody at once.

const approve = async (): Promise<ScreeningDecision> => ({ status: "approved", rejectionReasons: [] });

chooseProviders({
  ...productionProviders,
  screening: { screenIdentity: approve, screenCorrection: approve, screenPhotoId: approve },
});
const workers = startServiceWorkers();
process.once("SIGTERM", async () => {
  await workers.stop();
  process.exit(0);
});
process.send?.("ready");
