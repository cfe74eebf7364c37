import { NotReached } from "../findings.ts";
import type { Answer, Exchange, Send } from "./exchange.ts";
import { parseJson } from "./read-answer.ts";

const answerMsMax = 10_000;

export function createSend(baseUrl: string, note: (exchange: Exchange) => void): Send {
  return async ({ method, to, basic, bearer, json, form, raw, headers: more = {} }) => {
    const url = /^https?:/.test(to) ? to : `${baseUrl}${to}`;
    const type = json !== undefined ? jsonType : form ? formType : raw?.type;
    const body = json !== undefined ? JSON.stringify(json) : form ? new URLSearchParams(form).toString() : raw?.body;
    const headers = {
      accept: "application/json",
      ...(type && { "content-type": type }),
      ...(basic && { authorization: basicCredentials(basic) }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...more,
    };
    const answer = await fetchAnswer(url, { method, headers, body: body ?? null });
    const exchange = { method, url, headers, body: typeof body === "string" ? body : "", answer };
    note(exchange);
    return exchange;
  };
}

const jsonType = "application/json";
const formType = "application/x-www-form-urlencoded";

async function fetchAnswer(url: string, request: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(url, { ...request, redirect: "manual", signal: AbortSignal.timeout(answerMsMax) });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parseJson(text) };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const { pathname, origin } = new URL(url);
    throw new NotReached(
      `${request.method} ${origin}${pathname} got no answer: ${cause instanceof Error ? cause.message : cause}`,
    );
  }
}

/** The encoding isn't published; both common ones agree if there are no special characters. */
export function basicCredentials({ id, secret }: { id: string; secret: string }): string {
  return `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`;
}
