import type { ApiExtension } from "../../http/app.ts";
import type { Route } from "../../http/frame/define-route.ts";
import { readDemoCredentials } from "../demo-credentials.ts";
import { sandboxCheckRoutes } from "./check-routes.ts";
import { sandboxClientRoutes } from "./client-routes.ts";
import { sandboxClockRoutes } from "./clock-routes.ts";
import { sandboxPeopleRoutes } from "./decision-routes.ts";
import { sandboxEventRoutes } from "./event-routes.ts";
import { sandboxFaultRoutes } from "./fault-routes.ts";
import { sandboxIdempotencyKeyRoutes } from "./idempotency-key-routes.ts";
import { sandboxTokenRoutes } from "./issued-token-routes.ts";
import { sandboxMessageRoutes } from "./message-routes.ts";
import { hookFor } from "./request-hook.ts";
import { sandboxRequestRoutes } from "./request-routes.ts";
import { sandboxMoneyRoutes } from "./transfer-routes.ts";
import { sandboxVisitRoutes } from "./visit-routes.ts";
import { sandboxWebhookRoutes } from "./webhook-routes.ts";

/** Every route below /sandbox. */
export const sandboxRoutes: readonly Route[] = [
  ...sandboxClientRoutes,
  ...sandboxPeopleRoutes,
  ...sandboxVisitRoutes,
  ...sandboxTokenRoutes,
  ...sandboxMoneyRoutes,
  ...sandboxIdempotencyKeyRoutes,
  ...sandboxMessageRoutes,
  ...sandboxClockRoutes,
  ...sandboxFaultRoutes,
  ...sandboxRequestRoutes,
  ...sandboxEventRoutes,
  ...sandboxWebhookRoutes,
  ...sandboxCheckRoutes,
];

/** What a sandbox adds to the API; loaded in a sandbox only (Decision D16). */
export const sandboxApi: ApiExtension = {
  routes: sandboxRoutes,
  hookFor,
  site: { credentials: readDemoCredentials },
};
