import { createServiceApi } from "../http/app.ts";
import { sandboxApi } from "../sandbox/http/sandbox-routes.ts";

/** The API as a sandbox serves it. */
export const createSandboxApi = () => createServiceApi(sandboxApi);
