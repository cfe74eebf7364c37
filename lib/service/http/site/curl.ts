/** A call of the API, as somebody would make it from a terminal. */
export type Call = {
  method: string;
  url: string;
  /** As curl takes it; undefined when the call needs none. */
  credentials?: string | undefined;
  headers?: readonly string[];
  /** A body that is sent as JSON. */
  json?: unknown;
  /** A body that is sent as a form. */
  form?: Readonly<Record<string, string>>;
};

/** The command that makes this call in any POSIX shell; a `$NAME` in the address stays a variable. */
export function curlOf({ method, url, credentials, headers = [], json, form = {} }: Call): string {
  const fields = Object.entries(form);
  const isImplied = method === (json === undefined && fields.length === 0 ? "GET" : "POST");
  return [
    `curl -s ${isImplied ? "" : `-X ${method} `}${quoted(url)}`,
    ...(credentials === undefined ? [] : [credentials]),
    ...headers.map((header) => `-H ${quoted(header)}`),
    ...fields.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`),
    ...(json === undefined
      ? []
      : [
          "-H 'content-type: application/json'",
          `-d ${single(JSON.stringify(json, null, 2).replaceAll("\n", "\n  "))}`,
        ]),
  ].join(" \\\n  ");
}

// A variable is only replaced between double quotes.
function quoted(text: string): string {
  return /\$/.test(text) ? `"${text}"` : /^[\w:/.@-]+$/.test(text) ? text : single(text);
}

function single(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The client's credentials for curl. */
export function basicOption({ clientId, clientSecret }: { clientId: string; clientSecret: string }): string {
  return `-u ${quoted(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)}`;
}
