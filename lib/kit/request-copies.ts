// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are programs, and the templates are theirs

// Hidden values become environment variables named after their field: `ssn` is SSN.

/** A request as a program: `curl` for a shell, `typeScript` for Node.js. */
export type Copies = { curl: string; typeScript: string };

/** `base`, `basic` and `bearer` are names of environment variables. A form's body is a record of its fields. */
export type CopiedRequest = {
  method: string;
  base: string;
  path: string;
  basic?: { id: string; secret: string } | undefined;
  bearer?: string | undefined;
  headers: [string, string][];
  body?: unknown;
};

export function copiesOfRequest(request: CopiedRequest): Copies {
  return { curl: asCurl(request), typeScript: asTypeScript(request) };
}

const hidden = '"[redacted]"';

function asCurl({ method, base, path, basic, bearer, headers, body }: CopiedRequest): string {
  const lines = [
    `curl -sS -X ${method} "$${base}${inDoubleQuotes(path)}"`,
    ...(basic ? [`-u "$${basic.id}:$${basic.secret}"`] : []),
    ...(bearer ? [`-H "authorization: Bearer $${bearer}"`] : []),
    ...headers.map(([name, value]) => `-H "${inDoubleQuotes(`${name}: ${value}`)}"`),
    ...(body === undefined ? [] : dataOfCurl(headers, body)),
  ];
  return lines.join(" \\\n  ");
}

// curl encodes a form's fields, because the variables' values aren't known here.
function dataOfCurl(headers: CopiedRequest["headers"], body: unknown): string[] {
  if (!isForm(headers)) return [`--data-binary @- <<BODY\n${bodyInShell(body)}\nBODY`];
  const fields = Object.entries(fieldsOf(body));
  return fields.map(([name, value]) => {
    const text = value === "[redacted]" ? `$${variableOf([name])}` : inDoubleQuotes(value);
    return `--data-urlencode "${inDoubleQuotes(name)}=${text}"`;
  });
}

function asTypeScript({ method, base, path, basic, bearer, headers, body }: CopiedRequest): string {
  const byBasic = basic && `\`Basic \${btoa(\`\${env["${basic.id}"]}:\${env["${basic.secret}"]}\`)}\``;
  const authorization = byBasic ?? (bearer && `\`Bearer \${env["${bearer}"]}\``);
  return [
    'import { env } from "node:process";',
    "",
    ...(body === undefined
      ? []
      : [`const body = ${isForm(headers) ? formInTypeScript(body) : bodyInTypeScript(body)};`]),
    `const answer = await fetch(env["${base}"] + ${JSON.stringify(path)}, {`,
    `  method: "${method}",`,
    "  headers: {",
    ...(authorization ? [`    authorization: ${authorization},`] : []),
    ...headers.map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`),
    "  },",
    ...(body === undefined ? [] : [isForm(headers) ? "  body," : "  body: JSON.stringify(body),"]),
    "});",
    "console.log(answer.status, await answer.text());",
  ].join("\n");
}

function isForm(headers: CopiedRequest["headers"]): boolean {
  return headers.some(([, value]) => value.startsWith("application/x-www-form-urlencoded"));
}

function fieldsOf(body: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(body ?? {}).map(([name, value]) => [name, String(value)]));
}

function formInTypeScript(body: unknown): string {
  const fields = fieldsOf(body);
  const text = JSON.stringify(fields, undefined, 2);
  return `new URLSearchParams(${named(text, fields, (name) => `env["${name}"] ?? ""`)})`;
}

export function bodyInShell(body: unknown): string {
  return named(inHereDocument(JSON.stringify(body, undefined, 2)), body, (name) => `"\${${name}}"`);
}

export function bodyInTypeScript(body: unknown): string {
  return named(JSON.stringify(body, undefined, 2), body, (name) => `env["${name}"]`);
}

/** Replaces each hidden value, in order, with a variable named after its field. */
function named(text: string, body: unknown, write: (name: string) => string): string {
  const names = hiddenPaths(body, []);
  return text.replaceAll(hidden, () => write(names.shift() ?? ""));
}

function hiddenPaths(value: unknown, path: string[]): string[] {
  if (value === "[redacted]") return [variableOf(path)];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => hiddenPaths(item, [...path, key]));
}

function variableOf(path: string[]): string {
  return path
    .join("_")
    .toUpperCase()
    .replaceAll(/\W/g, "_")
    .replace(/^(?=\d)/, "_");
}

function inHereDocument(text: string): string {
  return text.replaceAll(/[\\$`]/g, "\\$&");
}

export function inDoubleQuotes(text: string): string {
  return text.replaceAll(/[\\$`"]/g, "\\$&");
}
