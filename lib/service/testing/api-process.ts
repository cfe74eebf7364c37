import { chooseProviders } from "../providers.ts";
import { sandboxProviders } from "../sandbox/providers.ts";
import { startListeningService } from "./listening-service.ts";

// The API in a process of its own, for tests that kill it. Says where it listens; runs until then.
chooseProviders(sandboxProviders);
const { url } = await startListeningService();
process.send?.(url);
