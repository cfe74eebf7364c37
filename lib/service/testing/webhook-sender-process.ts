import { chooseProviders } from "../providers.ts";
import { sandboxProviders } from "../sandbox/providers.ts";
import { startWebhookSender } from "../workers/start-workers.ts";

// A worker in its own process, for tests that kill it.
chooseProviders(sandboxProviders);
startWebhookSender();
process.send?.("started");
