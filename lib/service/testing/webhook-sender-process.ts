import { chooseProviders } from "../providers.ts";
import { sandboxProviders } from "../sandbox/providers.ts";
import { startWebhookSender } from "../workers/start-workers.ts";

// A worker of its own, started by a test as a child process that it can kill.
chooseProviders(sandboxProviders);
startWebhookSender();
process.send?.("started");
