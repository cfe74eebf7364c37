import { startWebhookSender } from "../workers/webhook-sender.ts";

// A worker of its own, started by a test as a child process that it can kill.
startWebhookSender();
process.send?.("started");
