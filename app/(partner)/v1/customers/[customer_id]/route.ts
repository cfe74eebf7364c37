import { answerCustomerRequest } from "#lib/partner/customers/answer-customer-request.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { clientAddressOf } from "#lib/partner/requests/partner-action.ts";

type Context = { params: Promise<{ customer_id: string }> };

export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { customer_id } = await params;
  const { headers } = request;
  const authorization = headers.get("authorization");
  return answerCustomerRequest(partner(), { authorization, address: clientAddressOf(headers), headers }, customer_id);
}
