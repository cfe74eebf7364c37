/**
 * Presses Authorize on the service's pages for demo people, like a browser without scripts. Returns the callback's
 * query, or undefined if the pages ask for something else.
 * @param address with the session token
 * @param pagesAt see `connectDemoPeople`
 */
export async function pressAuthorize(
  address: string,
  callbackAddress: string,
  pagesAt?: string,
): Promise<URLSearchParams | undefined> {
  const passed: Record<string, string> = pagesAt ? { "x-forwarded-host": new URL(address).host } : {};
  const dial = ({ pathname, search, href }: URL) => (pagesAt ? pagesAt + pathname + search : href);
  const entry = await get(dial(new URL(address)), passed);
  const location = entry.headers.get("location");
  if (!location) return undefined;
  const page = new URL(location, address);
  const cookie = entry.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const form = formOfButton(await (await get(dial(page), { ...passed, cookie })).text(), "Authorize");
  if (!form) return undefined;
  const pressed = await fetch(dial(page), {
    method: "POST",
    body: form,
    headers: { ...passed, accept: "text/html", cookie, origin: page.origin },
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  });
  const back = URL.parse(pressed.headers.get("location") ?? "", page);
  return back && back.origin + back.pathname === callbackAddress ? back.searchParams : undefined;
}

const timeoutMs = 10_000;

function get(address: string, headers: Record<string, string>): Promise<Response> {
  return fetch(address, {
    headers: { accept: "text/html", ...headers },
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  });
}

/** The hidden fields of the form that has this button. */
function formOfButton(html: string, name: string): FormData | undefined {
  const forms = html.match(/<form\b[\s\S]*?<\/form>/g) ?? [];
  const found = forms.find((form) => buttonNamed(name).test(form));
  if (!found) return undefined;
  const form = new FormData();
  for (const [input] of found.matchAll(/<input\b[^>]*>/g)) {
    const field = attribute(input, "name");
    if (field) form.append(field, attribute(input, "value"));
  }
  return form;
}

function buttonNamed(name: string): RegExp {
  return new RegExp(`<button\\b[^>]*>(?:\\s|<!--.*?-->)*${name}(?:\\s|<!--.*?-->)*</button>`);
}

function attribute(tag: string, name: string): string {
  const [, value = ""] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? [];
  return value
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
