import type { ApiExtension } from "../../http/app.ts";
import type { Route } from "../../http/frame/define-route.ts";
import { readDemoCredentials } from "../seed.ts";
import { sandboxCheckRoutes } from "./check-routes.ts";
import { sandboxClientRoutes } from "./client-routes.ts";
import { sandboxClockRoutes } from "./clock-routes.ts";
import { sandboxEventRoutes } from "./event-routes.ts";
import { sandboxFaultRoutes } from "./fault-routes.ts";
import { sandboxPeopleRoutes } from "./people-routes.ts";
import { hookFor } from "./request-hook.ts";
import { sandboxTokenRoutes } from "./token-routes.ts";
import { sandboxMoneyRoutes } from "./transfer-routes.ts";
import { sandboxWebhookRoutes } from "./webhook-routes.ts";

export const sandboxRoutes: readonly Route[] = [
  ...sandboxClientRoutes,
  ...sandboxPeopleRoutes,
  ...sandboxTokenRoutes,
  ...sandboxMoneyRoutes,
  ...sandboxClockRoutes,
  ...sandboxFaultRoutes,
  ...sandboxEventRoutes,
  ...sandboxWebhookRoutes,
  ...sandboxCheckRoutes,
];

/** What a sandbox adds to the API; only loaded in a sandbox (Decision D16). */
export const sandboxApi: ApiExtension = {
  routes: sandboxRoutes,
  hookFor,
  site: { credentials: readDemoCredentials },
};
