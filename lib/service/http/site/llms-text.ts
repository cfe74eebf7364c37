import { limits } from "../../../contract/limits.ts";

/** `/llms.txt`: what an assistant needs to write a correct integration. */
export function llmsText({ baseUrl, authUrl, isSandbox }: { baseUrl: string; authUrl: string; isSandbox: boolean }) {
  return `# Plainbook

> Onboards people, lets them authorize your application, and moves money between payment instruments.

Every call, webhook and error, with examples: ${baseUrl}/openapi.json (OpenAPI 3.1). Generate the client from it, and branch on \`reason\`, never on text.

## The integration, in this order

1. Register the person: POST /v1/user_intent (Basic: client id and secret, each form-url-encoded). Keep its id.
2. Serve GET /v1/customers/{customer_id} on your side. The service sends \`authorization: Bearer\` with your customer endpoint secret: compare it in constant time, answer 401 to others. \`phone\` is the intent's, \`lastAuthenticationTime\` is UTC with \`Z\`. It is called while your next call waits, so serve both at once.
3. POST /v1/partner/identity/verification with \`provider\`, \`provider_data.customer_id\` and either \`user_intent_id\` or \`user_id\`. The token lives ${limits.identityVerificationTokenSeconds} seconds and opens one visit: make it when the person presses your button.
4. Redirect the browser to ${authUrl}/login/oauth/authorize with session_token, the same user_intent_id or user_id, client_id, redirect_uri, response_type=code, a random state, and a PKCE challenge (S256).
5. In the callback, compare state with the browser's own and \`iss\` with ${baseUrl}. An \`error\` ends the visit: ask nothing further of that person. Exchange the code at POST /v1/oauth/token once, within ${limits.authorizationCodeSeconds / 60} minutes, with the verifier and the same redirect_uri. Then GET /v1/user with the new token: if it's another person than the one you sent, drop both tokens, and don't revoke them.
6. Store both tokens together, encrypted. Use the access token until \`token_expired\` or its computed end; then refresh once, under a lock per user shared by all processes, store the new pair, and repeat the call. Refresh every pair weekly.
7. Pay with the business user's token, who authorized the same way: POST /v1/routines/book with an Idempotency-Key (a UUID stored before the call), from an account of GET /v1/accounts to one of the receiver's, each read with its person's token. After no answer or a 5xx, repeat the same body with the same key; never make a new key for the same payment.
8. Receive webhooks: verify Standard Webhooks headers over the raw bytes (the key is the base64 after \`whsec_\`), reject those older than ${limits.webhookToleranceSeconds / 60} minutes, answer 2xx at once, handle each webhook_id once, accept unknown types, and read the record: the body has no status, and order isn't guaranteed.
9. Heal without webhooks: reread what is open when a page shows it, in a job within 5 minutes, and on start.

Never put tokens, secrets or an ssn in an address, a log or a browser. Accept new fields, new words and ids of any form.
${
  isSandbox
    ? `
## Prove it in this sandbox

- \`npx plainbook checks --base-url ${baseUrl} --client-id … --client-secret … --strict\` judges the integration by what was recorded, and says what to do.
- \`npx plainbook drills\` (same options) lists what to rehearse; \`npx plainbook mcp\` offers both as MCP tools.
- Where the service runs from its repository, these are \`npm run checks\`, \`npm run drills\` and \`npm run -s mcp\` there, with \`--\` before the options.
- POST /sandbox/clock/advance expires tokens and settles transfers.
`
    : ""
}`;
}
