type Lane = "browser" | "harbor" | "plainbook";

export type Step = { from: Lane; to: Lane; what: string; call?: string };

/** Who the story's columns are, from left to right. */
export const lanes: { id: Lane; name: string; role: string }[] = [
  { id: "browser", name: "Browser", role: "the seller" },
  { id: "harbor", name: "Harbor", role: "the partner app" },
  { id: "plainbook", name: "Plainbook", role: "the service" },
];

/** The whole journey in six steps, as the home page draws it. */
export const story: Step[] = [
  { from: "browser", to: "harbor", what: "A seller signs up and says who they are" },
  { from: "harbor", to: "plainbook", what: "Harbor pre-registers the person", call: "POST /v1/user_intent" },
  { from: "plainbook", to: "harbor", what: "Approved: a signed webhook says so", call: "user_intent_updated" },
  { from: "browser", to: "plainbook", what: "The seller presses Authorize", call: "GET /login/oauth/authorize" },
  { from: "harbor", to: "plainbook", what: "The code becomes a token pair", call: "POST /v1/oauth/token" },
  { from: "harbor", to: "plainbook", what: "Harbor pays, and watches it arrive", call: "POST /v1/routines/book" },
];
