import { NotReached } from "../findings.ts";
import type { Exchange, Send } from "./exchange.ts";
import { findPress } from "./forms.ts";

/** A person's location: on a page, back at the client, or nowhere (an error or refusal). */
export type Arrival =
  | { kind: "page"; exchange: Exchange; html: string }
  | { kind: "returned"; exchange: Exchange; to: URL }
  | { kind: "stopped"; exchange: Exchange };

/** A minimal browser without JavaScript: redirects, cookies, and forms. */
export type Browser = {
  open: (address: string) => Promise<Arrival>;
  /** Submits the form with this button. Throws `NotReached` without a plain form. */
  press: (page: Arrival, name: string, typed?: Record<string, string>) => Promise<Arrival>;
};

const redirectsMax = 10;

/** @param redirectUri URLs with this prefix belong to the client and aren't visited */
export function createBrowser(send: Send, redirectUri: string): Browser {
  const cookies = new Map<string, string>();

  async function go(method: string, address: string, body?: { type: string; body: BodyInit }): Promise<Arrival> {
    let exchange = await visit(method, address, body);
    for (let redirects = 0; redirects < redirectsMax; redirects += 1) {
      const { status, headers, text } = exchange.answer;
      const location = headers.get("location");
      if (status < 300 || status >= 400 || !location) {
        return status < 300 ? { kind: "page", exchange, html: text } : { kind: "stopped", exchange };
      }
      const next = new URL(location, exchange.url);
      if (next.href.startsWith(redirectUri)) return { kind: "returned", exchange, to: next };
      exchange = await visit("GET", next.href);
    }
    return { kind: "stopped", exchange };
  }

  async function visit(method: string, address: string, body?: { type: string; body: BodyInit }): Promise<Exchange> {
    const { origin } = new URL(address);
    const exchange = await send({
      method,
      to: address,
      ...(body && { raw: body }),
      headers: {
        accept: "text/html",
        ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") }),
        ...(method === "POST" && { origin }),
      },
    });
    for (const line of exchange.answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return exchange;
  }

  return {
    open: (address) => go("GET", address),
    press: async (page, name, typed = {}) => {
      const form = page.kind === "page" ? findPress(page.html, name) : undefined;
      if (!form) throw new NotReached(`This needs a person's browser: no form has a button "${name}".`, page.exchange);
      const target = new URL(form.action, page.exchange.url);
      const untouched = form.fields.filter(([field]) => !(field in typed));
      const fields = [...untouched, ...Object.entries(typed)];
      if (form.method === "POST") return go("POST", target.href, await encode(fields, form.isMultipart));
      if (form.method !== "GET") throw new NotReached(`The form of "${name}" doesn't leave the page.`, page.exchange);
      target.search = new URLSearchParams(fields).toString();
      return target.href.startsWith(redirectUri)
        ? { kind: "returned", exchange: page.exchange, to: target }
        : go("GET", target.href);
    },
  };
}

export function hasButton(arrival: Arrival, name: string): boolean {
  return arrival.kind === "page" && findPress(arrival.html, name) !== undefined;
}

async function encode(fields: [string, string][], isMultipart: boolean): Promise<{ type: string; body: BodyInit }> {
  if (!isMultipart) {
    return { type: "application/x-www-form-urlencoded", body: new URLSearchParams(fields).toString() };
  }
  const data = new FormData();
  for (const [name, value] of fields) data.append(name, value);
  const encoded = new Response(data);
  return { type: encoded.headers.get("content-type") ?? "", body: await encoded.arrayBuffer() };
}
