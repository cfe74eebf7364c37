import { type AccountList, accountList } from "../../contract/accounts.ts";
import { type Answer, type CallOptions, callService } from "./call-service.ts";
import { asUser } from "./credentials.ts";

/** The user's payment instruments with their balances. Decision D12 */
export function listAccounts(accessToken: string, options: CallOptions = {}): Promise<Answer<AccountList>> {
  return callService({
    method: "GET",
    path: "/v1/accounts",
    authorization: asUser(accessToken),
    schema: accountList,
    ...options,
  });
}
