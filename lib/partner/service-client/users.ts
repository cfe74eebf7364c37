import { type UserRecord, userRecord } from "../../contract/user.ts";
import { type Answer, type CallOptions, callService } from "./call-service.ts";
import { asUser } from "./credentials.ts";

/** The user bound to this access token, metadata of its intent included. */
export function readUser(accessToken: string, options: CallOptions = {}): Promise<Answer<UserRecord>> {
  return callService({
    method: "GET",
    path: "/v1/user",
    authorization: asUser(accessToken),
    schema: userRecord,
    ...options,
  });
}
