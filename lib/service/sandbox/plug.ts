import { flushEventLog } from "./events/event-log.ts";
import { stopEventStreams } from "./events/event-stream.ts";
import { sandboxApi } from "./http/sandbox-routes.ts";
import { sandboxProviders } from "./providers.ts";
import { seedSandbox } from "./seed.ts";

/** Everything that a sandbox process plugs into the service at its start, and how to stop it. */
export const sandboxPlug = {
  seed: seedSandbox,
  providers: sandboxProviders,
  api: sandboxApi,
  endStreams: stopEventStreams,
  flush: flushEventLog,
};
