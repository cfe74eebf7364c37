import { brandName } from "#brand/name.ts";

type Lane = "browser" | "harbor" | "service";

export type Step = { from: Lane; to: Lane; what: string; call?: string };

/** Who the story's columns are, from left to right; the service's name is a setting. */
export const lanes: { id: Lane; name: string | undefined; role: string }[] = [
  { id: "browser", name: "Browser", role: "the seller" },
  { id: "harbor", name: brandName, role: "the partner app" },
  { id: "service", name: undefined, role: "the service" },
];

/** The whole journey in six steps, as the home page draws it. */
export const story: Step[] = [
  { from: "browser", to: "harbor", what: "A seller signs up and says who they are" },
  { from: "harbor", to: "service", what: `${brandName} pre-registers the person`, call: "POST /v1/user_intent" },
  { from: "service", to: "harbor", what: "Approved: a signed webhook says so", call: "user_intent_updated" },
  { from: "browser", to: "service", what: "The seller presses Authorize", call: "GET /login/oauth/authorize" },
  { from: "harbor", to: "service", what: "The code becomes a token pair", call: "POST /v1/oauth/token" },
  { from: "harbor", to: "service", what: `${brandName} pays, and watches it arrive`, call: "POST /v1/routines/book" },
];
