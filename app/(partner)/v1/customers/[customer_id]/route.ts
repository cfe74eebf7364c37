import { answerCustomerRequest } from "#lib/partner/customers/answer-customer-request.ts";

type Context = { params: Promise<{ customer_id: string }> };

export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { customer_id } = await params;
  return answerCustomerRequest(request.headers.get("authorization"), customer_id);
}
