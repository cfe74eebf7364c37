import type { APIRequestContext, APIResponse } from "@playwright/test";

// Submits forms like a browser without scripts.

export type SentPage = { address: string; html: string };

/** Loads a page, following redirects. */
export async function fetchPage(request: APIRequestContext, address: string): Promise<SentPage> {
  // Browsers also retry when the server closed the idle connection.
  return pageOf(await request.get(address, { headers: { accept: "text/html" }, maxRetries: 1 }));
}

/** Submits the form with this button, and returns the resulting page. */
export async function submitByHttp(
  request: APIRequestContext,
  { address, html }: SentPage,
  button: RegExp,
  fields: Record<string, string> = {},
): Promise<SentPage> {
  for (const form of formsOf(html)) {
    const pressed = buttonsOf(form).find(({ name }) => button.test(name));
    if (!pressed) continue;
    const multipart = { ...valuesOf(form), ...pressed.sends, ...fields };
    const headers = { accept: "text/html", origin: new URL(address).origin };
    return pageOf(await request.post(address, { multipart, headers }));
  }
  throw new Error(`There is no button ${button} at ${address}.`);
}

export function hasButton({ html }: SentPage, button: RegExp): boolean {
  return formsOf(html).some((form) => buttonsOf(form).some(({ name }) => button.test(name)));
}

function formsOf(html: string): string[] {
  return [...html.matchAll(/<form\b.*?<\/form>/gs)].map(([form]) => form);
}

async function pageOf(answer: APIResponse): Promise<SentPage> {
  if (!answer.ok()) throw new Error(`${answer.url()}: ${answer.status()}`);
  return { address: answer.url(), html: await answer.text() };
}

function buttonsOf(form: string): { name: string; sends: Record<string, string> }[] {
  return [...form.matchAll(/<button\b([^>]*)>(.*?)<\/button>/gs)].map(([, tag = "", content = ""]) => {
    const name = attribute(tag, "name");
    return { name: text(content), sends: name ? { [name]: attribute(tag, "value") } : {} };
  });
}

/** The form's initial values, without checkboxes. */
function valuesOf(form: string): Record<string, string> {
  const inputs = [...form.matchAll(/<input\b([^>]*)>/g)]
    .map(([, tag = ""]) => tag)
    .filter((tag) => attribute(tag, "type") !== "checkbox");
  const selects = [...form.matchAll(/<select\b([^>]*)>(.*?)<\/select>/gs)];
  return {
    ...Object.fromEntries(inputs.map((tag) => [attribute(tag, "name"), attribute(tag, "value")])),
    ...Object.fromEntries(
      selects.map(([, tag = "", options = ""]) => [attribute(tag, "name"), attribute(options, "value")]),
    ),
  };
}

/** The value of the option with this text. */
export function optionNamed({ html }: SentPage, name: string): string {
  const options = [...html.matchAll(/<option\b([^>]*)>(.*?)<\/option>/gs)];
  const found = options.find(([, , content = ""]) => text(content) === name);
  if (!found) throw new Error(`The page has no option ${name}.`);
  return attribute(found[1] ?? "", "value");
}

function text(html: string): string {
  return decode(html.replace(/<!--.*?-->|<[^>]*>/gs, "")).trim();
}

function attribute(tag: string, name: string): string {
  return decode(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? "");
}

function decode(html: string): string {
  return html
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
