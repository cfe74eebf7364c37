import type { Answer } from "./answer.ts";
import type { CallOptions, CallService } from "./call-service.ts";
import { flag, optional, type Read, recordOf } from "./reading.ts";

/** What Harbor needs of the metadata document (RFC 8414, RFC 9207): whether the service says who sends the browser back. */
export type AuthorizationServer = { authorization_response_iss_parameter_supported?: boolean | undefined };

const readMetadata: Read<AuthorizationServer> = recordOf({
  authorization_response_iss_parameter_supported: optional(flag),
});

/** The calls about the authorization server. */
export function authorizationServerCalls(call: CallService) {
  return {
    /** What the service says about its OAuth endpoints. Not published: a service without the document refuses. Decision D10 */
    readAuthorizationServerMetadata: (options: CallOptions = {}): Promise<Answer<AuthorizationServer>> =>
      call({ method: "GET", path: "/.well-known/oauth-authorization-server", read: readMetadata, ...options }),
  };
}
