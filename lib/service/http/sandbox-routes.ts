import type { Route } from "./define-route.ts";
import { sandboxClientRoutes } from "./sandbox-client-routes.ts";
import { sandboxMessageRoutes } from "./sandbox-message-routes.ts";
import { sandboxMoneyRoutes } from "./sandbox-money-routes.ts";
import { sandboxPeopleRoutes } from "./sandbox-people-routes.ts";

/** Every route below /sandbox, loaded in a sandbox only (Decision D16). */
export const sandboxRoutes: readonly Route[] = [
  ...sandboxClientRoutes,
  ...sandboxPeopleRoutes,
  ...sandboxMoneyRoutes,
  ...sandboxMessageRoutes,
];
