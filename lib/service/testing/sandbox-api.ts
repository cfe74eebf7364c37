import { createServiceApi } from "../http/app.ts";
import { sandboxApi } from "../http/sandbox/sandbox-routes.ts";

/** The API as a sandbox serves it. */
export const createSandboxApi = () => createServiceApi(sandboxApi);
