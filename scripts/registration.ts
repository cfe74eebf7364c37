import { brandName } from "../brand/name.ts";
import { sentenceOf } from "../lib/kit/describe-error.ts";

type Registered = {
  baseUrl: string;
  serviceBaseUrl: string;
  serviceAuthUrl: string;
  serviceName: string;
  clientId: string;
  provider: string;
  isSandbox: boolean;
  webhookSignatureHeader?: string | undefined;
};

const answerTimeoutMs = 5000;

/** Calls the published `GET /v1/user` without a token, which changes nothing, and describes the answer. */
export async function probeService(serviceBaseUrl: string): Promise<string> {
  try {
    const signal = AbortSignal.timeout(answerTimeoutMs);
    const { status } = await fetch(`${serviceBaseUrl}/v1/user`, { redirect: "manual", signal });
    return `${serviceBaseUrl} answers: GET /v1/user without a token is ${status}${remarkOn(status)}`;
  } catch (error) {
    const reason = sentenceOf(error instanceof Error && error.cause ? error.cause : error);
    return `${serviceBaseUrl} does not answer (${reason}).
            ${brandName} starts anyway, and its pages show the problem. Check PARTNER_SERVICE_BASE_URL, or start the service.`;
  }
}

function remarkOn(status: number): string {
  if (status === 401 || status === 403) return ", as expected.";
  if (status >= 500) return ": the service has a problem.";
  return ", where a refusal (401) is expected: check the path in PARTNER_SERVICE_BASE_URL.";
}

/** What to register with the service's operator, and the settings that describe the service. Shows no secrets. */
export function describeRegistration(registered: Registered): string {
  const { baseUrl, serviceBaseUrl, serviceAuthUrl, serviceName, clientId, provider, isSandbox } = registered;
  const { webhookSignatureHeader: header } = registered;
  const scheme = header ? `by an HMAC-SHA256 of the body in the header ${header}` : "per Standard Webhooks";
  return `Register at ${serviceName} for the client ${clientId} (PARTNER_CLIENT_ID):

  Redirect address     ${baseUrl}/callback
  Webhooks address     ${baseUrl}/webhooks
                       signed ${scheme}, with the secret in PARTNER_WEBHOOK_SECRET
  Customers address    ${baseUrl}
                       called as GET ${baseUrl}/v1/customers/{customer_id}
                       with "authorization: Bearer" and the secret in PARTNER_CUSTOMER_ENDPOINT_SECRET
  Customer system      ${provider} (PARTNER_PROVIDER), for trusted authentication, which must be enabled

Get from ${serviceName}:

  PARTNER_CLIENT_SECRET                                      the client's secret
  PARTNER_BUSINESS_USER_ID, PARTNER_BUSINESS_USER_PHONE      the business user that pays
  PARTNER_SERVICE_AUTH_URL                                   where people authorize, now
                                                             ${serviceAuthUrl}/login/oauth/authorize
${isUnreachable(baseUrl, serviceBaseUrl) ? unreachable(baseUrl) : ""}${isSandbox && !isLoopback(baseUrl) ? openSandbox(baseUrl) : ""}`;
}

// The service calls webhooks and customers. On another machine, our loopback address would be its own.
function isUnreachable(baseUrl: string, serviceBaseUrl: string): boolean {
  return isLoopback(baseUrl) && !isLoopback(serviceBaseUrl);
}

function isLoopback(address: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(address).hostname);
}

function openSandbox(baseUrl: string): string {
  return `
PARTNER_SANDBOX is on: anyone who reaches ${baseUrl} can sign in as the operator, whose code the page shows, and pay.
Keep it private, or set PARTNER_SANDBOX=off (docs/going-live.md, "Production checklist").
`;
}

function unreachable(baseUrl: string): string {
  return `
The service is elsewhere and cannot reach ${baseUrl}. Put a proxy or a tunnel in front, set PARTNER_BASE_URL to its public
address and PARTNER_LISTEN to the port here (docs/operations.md, "Behind a proxy").
`;
}
