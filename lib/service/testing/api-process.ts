import { chooseProviders } from "../providers.ts";
import { sandboxProviders } from "../sandbox/providers.ts";
import { startListeningService } from "./listening-service.ts";

// The API in its own process, for tests that kill it.
chooseProviders(sandboxProviders);
const { url } = await startListeningService();
process.send?.(url);
