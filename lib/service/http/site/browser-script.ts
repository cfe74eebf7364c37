/**
 * The site's script: copy buttons, and in a sandbox "Try it". It's sent as its source (`String(runInBrowser)`), so it must
 * not use anything outside itself. Pages work without it.
 */
export function runInBrowser(): void {
  const wide = matchMedia("(min-width: 64rem)");
  const contents = document.querySelector<HTMLDetailsElement>("[data-toc]");
  const openContents = () => contents?.toggleAttribute("open", wide.matches);
  openContents();
  wide.addEventListener("change", openContents);
  contents?.addEventListener("click", ({ target }) => {
    if (!wide.matches && target instanceof HTMLAnchorElement) contents.removeAttribute("open");
  });

  document.addEventListener("click", async ({ target }) => {
    if (!(target instanceof HTMLButtonElement) || !("copy" in target.dataset)) return;
    await navigator.clipboard.writeText(target.parentElement?.querySelector("code")?.textContent ?? "");
    target.textContent = "Copied";
    setTimeout(() => {
      target.textContent = "Copy";
    }, 2000);
  });

  const caller = document.querySelector<HTMLFormElement>("[data-caller]");
  const callerInputs = [...(caller?.querySelectorAll("input") ?? [])];
  for (const input of callerInputs) {
    input.value = sessionStorage.getItem(input.id) ?? input.value;
    input.addEventListener("input", () => sessionStorage.setItem(input.id, input.value));
  }
  caller?.addEventListener("submit", (event) => event.preventDefault());
  // A form is added to the page when it's opened, because browsers lay out the fields of closed ones too.
  for (const details of document.querySelectorAll<HTMLDetailsElement>(".try")) {
    details.addEventListener("toggle", () => {
      const template = details.querySelector("template");
      template?.replaceWith(template.content);
    });
    details.addEventListener("submit", (event) => {
      event.preventDefault();
      const form = details.querySelector("form");
      if (form) void send(form);
    });
  }

  async function send(form: HTMLFormElement): Promise<void> {
    const status = form.parentElement?.querySelector("[data-answer-status]");
    const shown = form.parentElement?.querySelector<HTMLElement>("[data-answer]");
    if (!status || !shown) return;
    status.textContent = "Waiting for the response";
    shown.hidden = true;
    const startedAt = performance.now();
    try {
      const { url, ...request } = requestOf(form);
      const answer = await fetch(url, request);
      const text = await answer.text();
      const ms = Math.round(performance.now() - startedAt);
      status.textContent = `${answer.status} after ${ms} ms, request-id ${answer.headers.get("request-id")}`;
      shown.textContent = text === "" ? "The response is empty." : pretty(text);
      shown.hidden = false;
      fillCredentials(text);
    } catch {
      status.textContent = "There was no response, so the outcome of this call is unknown.";
    }
  }

  function requestOf(form: HTMLFormElement) {
    const { method = "GET", path = "", scheme = "" } = form.dataset;
    const headers = new Headers({ accept: "application/json" });
    const query = new URLSearchParams();
    let url = path;
    for (const input of form.querySelectorAll<HTMLInputElement>("[data-in]")) {
      const { name, value } = input;
      if (input.dataset["in"] === "path") url = url.replace(`{${name}}`, encodeURIComponent(value));
      else if (value !== "" && input.dataset["in"] === "query") query.set(name, value);
      else if (value !== "") headers.set(name, value);
    }
    const authorization = authorizationOf(scheme);
    if (authorization) headers.set("authorization", authorization);
    const body = form.querySelector("textarea")?.value;
    if (body !== undefined) headers.set("content-type", "application/json");
    return { url: query.size > 0 ? `${url}?${query}` : url, method, headers, ...(body !== undefined && { body }) };
  }

  function authorizationOf(scheme: string): string | undefined {
    const typed = (id: string) => callerInputs.find((input) => input.id === id)?.value.trim() ?? "";
    const encoded = (text: string) => encodeURIComponent(text).replaceAll("%20", "+");
    const token = typed("caller-token");
    if (scheme === "accessToken") return token === "" ? undefined : `Bearer ${token}`;
    if (scheme !== "clientCredentials") return undefined;
    return `Basic ${btoa(`${encoded(typed("caller-id"))}:${encoded(typed("caller-secret"))}`)}`;
  }

  // The next call uses a new client or token.
  function fillCredentials(text: string): void {
    let answer: unknown;
    try {
      answer = JSON.parse(text);
    } catch {
      return;
    }
    if (typeof answer !== "object" || answer === null) return;
    const fields = { client_id: "caller-id", client_secret: "caller-secret", access_token: "caller-token" };
    const found = new Map(Object.entries(answer));
    // A response with only a client's id changes nothing.
    if (!found.has("client_secret") && !found.has("access_token")) return;
    for (const [name, id] of Object.entries(fields)) {
      const value = found.get(name);
      const input = callerInputs.find((one) => one.id === id);
      if (typeof value !== "string" || !input) continue;
      input.value = value;
      sessionStorage.setItem(id, value);
    }
    const news = caller?.querySelector("[data-taken]");
    if (news)
      news.textContent = found.has("access_token")
        ? "The next call uses this access token."
        : "The next call uses this client.";
  }

  function pretty(text: string): string {
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  }
}
