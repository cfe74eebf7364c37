import { type AuthorizationServerMetadata, authorizationServerMetadata } from "../../contract/tokens.ts";
import { type Answer, type CallOptions, callService } from "./call-service.ts";

/** What the service says about its OAuth endpoints (RFC 8414). Not published: a service without the document refuses. Decision D10 */
export function readAuthorizationServerMetadata(
  options: CallOptions = {},
): Promise<Answer<AuthorizationServerMetadata>> {
  return callService({
    method: "GET",
    path: "/.well-known/oauth-authorization-server",
    schema: authorizationServerMetadata,
    ...options,
  });
}
