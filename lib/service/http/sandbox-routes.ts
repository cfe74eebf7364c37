import type { Route } from "./define-route.ts";
import { sandboxClientRoutes } from "./sandbox-client-routes.ts";
import { sandboxClockRoutes } from "./sandbox-clock-routes.ts";
import { sandboxFaultRoutes } from "./sandbox-fault-routes.ts";
import { sandboxMessageRoutes } from "./sandbox-message-routes.ts";
import { sandboxMoneyRoutes } from "./sandbox-money-routes.ts";
import { sandboxPeopleRoutes } from "./sandbox-people-routes.ts";
import { sandboxRequestRoutes } from "./sandbox-request-routes.ts";
import { sandboxWebhookRoutes } from "./sandbox-webhook-routes.ts";

/** Every route below /sandbox, loaded in a sandbox only (Decision D16). */
export const sandboxRoutes: readonly Route[] = [
  ...sandboxClientRoutes,
  ...sandboxPeopleRoutes,
  ...sandboxMoneyRoutes,
  ...sandboxMessageRoutes,
  ...sandboxClockRoutes,
  ...sandboxFaultRoutes,
  ...sandboxRequestRoutes,
  ...sandboxWebhookRoutes,
];
