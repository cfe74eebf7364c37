import { callOwnApiAt } from "./console/read.ts";
import { flushEventLog } from "./events/event-log.ts";
import { stopEventStreams } from "./events/event-stream.ts";
import { sandboxApi } from "./http/sandbox-routes.ts";
import { sandboxProviders } from "./providers.ts";
import { seedSandbox } from "./seed.ts";

/** The sandbox's extensions of the service, with what ends them at shutdown. */
export const sandboxPlug = {
  seed: seedSandbox,
  providers: sandboxProviders,
  api: sandboxApi,
  callOwnApiAt,
  endStreams: stopEventStreams,
  flush: flushEventLog,
};
