import { startListeningService } from "./listening-service.ts";

// The API in a process of its own, for tests that kill it. Says where it listens; runs until then.
const { url } = await startListeningService();
process.send?.(url);
