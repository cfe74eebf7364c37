import type * as z from "zod/mini";
import type { ErrorReason, OAuthReason } from "../../../contract/errors.ts";

/** What the OpenAPI document says of an operation beyond what its route shows by itself. */
export type RouteDocumentation = {
  summary: string;
  description?: string;
  /** The success. `body` is a schema of `lib/contract/bodies.ts`, which holds its golden example; without one the answer is empty. */
  answer: { status: 200 | 201 | 202 | 204; body?: z.ZodMiniType; mediaType?: string };
  /** Where it differs from the schema that the route parses with: an OAuth endpoint accepts any parameter and checks it later. */
  requestBody?: z.ZodMiniType;
  /** The reasons that do not follow from the route's caller, body, query, params and idempotency key. */
  refusals?: readonly ErrorReason[];
  /** What this OAuth endpoint refuses by itself. */
  oauthRefusals?: readonly OAuthReason[];
};

/** The parts of a route that the OpenAPI document is made of. */
export type DocumentedRoute = {
  operation: string;
  method: string;
  path: string;
  isOAuth: boolean;
  who: "client" | "user" | "anyone";
  body: z.ZodMiniType | undefined;
  query: z.ZodMiniType | undefined;
  params: z.ZodMiniType | undefined;
  takesIdempotencyKey: boolean;
  isAboutKey: boolean;
  documentation: RouteDocumentation | undefined;
};
