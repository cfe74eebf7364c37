import type { Json } from "./json-schemas.ts";

const uuid = { type: "string", format: "uuid" };
const text = { type: "string" };

const parameters = [
  parameter("client_id", text, "Your client.", true),
  parameter(
    "redirect_uri",
    { type: "string", format: "uri" },
    "One that is registered, character for character.",
    true,
  ),
  parameter("response_type", { const: "code" }, "Always `code`.", true),
  parameter(
    "session_token",
    text,
    "The identity verification token; required where trusted authentication is enabled.",
  ),
  parameter("user_intent_id", uuid, "Required when the token was minted for a user intent."),
  parameter("user_id", uuid, "The user whom the token was minted for."),
  parameter("state", text, "Comes back unchanged."),
  parameter("code_challenge", { type: "string", pattern: "^[A-Za-z0-9_-]{43}$" }, "PKCE (RFC 7636)."),
  parameter("code_challenge_method", { const: "S256" }, "`plain` is refused."),
];

/** The page to which the person's browser is sent. It is no API: it answers with redirects and pages. Decision D9 */
export function describeAuthorizationPage(authUrl: string): Json {
  return {
    servers: [{ url: authUrl }],
    get: {
      operationId: "openAuthorizationPage",
      summary: "Send the person's browser here",
      description:
        "Ends at `redirect_uri` with `code` and `iss`, or with `error` (`access_denied`, `invalid_request`, …), `error_description` and `iss`; always with your `state`.",
      tags: ["Authorization"],
      security: [],
      parameters,
      responses: {
        303: {
          description: "On to the page itself, or back to redirect_uri with an error.",
          headers: { location: { description: "Where to.", schema: { type: "string", format: "uri-reference" } } },
        },
        400: {
          description: "client_id or redirect_uri is wrong: a page says so, and nothing is redirected.",
          content: { "text/html": { schema: text } },
        },
      },
    },
  };
}

function parameter(name: string, schema: Json, description: string, required = false): Json {
  return { name, in: "query", ...(required && { required }), description, schema };
}
