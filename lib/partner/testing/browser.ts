import { AsyncLocalStorage } from "node:async_hooks";
import type { CookieStore } from "iron-session";
import { partner } from "../process-partner.ts";
import { type FormState, unsentForm } from "../requests/form-state.ts";

/** What a server action results in: a form, a redirect, or a 404. */
export type ActionResult = FormState | { redirectTo: string } | "not_found";

type Cookie = { value: string; maxAge?: number | undefined };
export type ServerAction = (previous: FormState, sent: never) => Promise<FormState>;
type Route<Params> = (request: Request, context: { params: Promise<Params> }) => Promise<Response>;

const requests = new AsyncLocalStorage<{ browser: Browser; headers: Headers }>();
let browsers = 0;

/** Stands in for `next/headers`, in a test that calls server actions and routes without Next. */
export const nextHeaders = {
  cookies: async () => currentRequest().browser.cookies,
  headers: async () => currentRequest().headers,
};

/** Stands in for `next/cache`. */
export const nextCache = { refresh: () => void currentRequest().browser.refreshes++ };

function currentRequest() {
  const request = requests.getStore();
  if (!request) throw new Error("No browser sent this request.");
  return request;
}

/** A browser with its own cookies and address, which sends forms and requests to Harbor. */
export class Browser {
  readonly jar = new Map<string, Cookie>();
  readonly clientAddress = `203.0.113.${++browsers % 256}`;
  /** How often an action made it discard the pages it has cached. */
  refreshes = 0;
  /** The app whose listener receives the requests. */
  app = "partner";

  readonly cookies = {
    get: (name: string) => {
      const cookie = this.jar.get(name);
      return cookie && { name, value: cookie.value };
    },
    getAll: () => [...this.jar].map(([name, { value }]) => ({ name, value })),
    set: (name: string, value: string, options: { maxAge?: number | undefined } = {}) => {
      if (options.maxAge === 0) this.jar.delete(name);
      else this.jar.set(name, { value, ...options });
    },
  };

  /** Runs work as a request of this browser. */
  within<T>(work: () => T, headers = new Headers()): T {
    headers.set("x-gangway-app", this.app);
    headers.set("x-gangway-client-address", this.clientAddress);
    return requests.run({ browser: this, headers }, work);
  }

  submit(action: ServerAction, fields: object = {}): Promise<ActionResult> {
    return this.open(() => action(unsentForm, fields as never));
  }

  /** Renders a page, or returns its redirect or 404. */
  async open<Page>(show: () => Promise<Page>): Promise<Page | Exclude<ActionResult, FormState>> {
    try {
      return await this.within(show);
    } catch (error) {
      return navigationOf(error);
    }
  }

  get<Params>(
    route: Route<Params>,
    path: string,
    { params, headers }: { params?: Params; headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const request = new Request(`${partner().config.baseUrl}${path}`, { headers: headers ?? {} });
    return this.within(() => route(request, { params: Promise.resolve(params as Params) }), request.headers);
  }
}

/** Next's redirects and 404s are exceptions. */
function navigationOf(error: unknown): Exclude<ActionResult, FormState> {
  const digest = error instanceof Error && "digest" in error ? String(error.digest) : "";
  const [kind, , redirectTo = ""] = digest.split(";");
  if (kind === "NEXT_REDIRECT") return { redirectTo };
  if (digest.startsWith("NEXT_HTTP_ERROR_FALLBACK;404")) return "not_found";
  throw error;
}

/** An in-memory cookie store. */
export function newCookieStore(): CookieStore {
  const jar = new Map<string, string>();
  return {
    get: (name) => (jar.has(name) ? { name, value: jar.get(name) ?? "" } : undefined),
    getAll: () => [...jar].map(([name, value]) => ({ name, value })),
    set: (name, value, cookie) => (cookie.maxAge === 0 ? jar.delete(name) : jar.set(name, value)),
  };
}
