import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";

/** Action ids by path; empty if there is no page. */
export type ActionsOfPath = (path: string) => ReadonlySet<string>;

type ActionManifest = { node: Record<string, { workers: Record<string, unknown> }> };

/** Reads the pages' server actions from the build in `folder`. Throws when there is no build. */
export function readServerActions(folder: string): ActionsOfPath {
  const { node } = readJson<ActionManifest>(join(folder, "server/server-reference-manifest.json"));
  const routes = readJson<Record<string, string>>(join(folder, "app-path-routes-manifest.json"));
  const pages = Object.entries(routes)
    .filter(([file]) => file.endsWith("/page"))
    .map(([file, route]) => ({
      pattern: route.split("/"),
      actions: new Set(Object.keys(node).filter((id) => Object.hasOwn(node[id]?.workers ?? {}, `app${file}`))),
    }));
  // A literal segment wins over a parameter.
  pages.sort((left, right) => countParameters(left.pattern) - countParameters(right.pattern));

  return (path) => {
    const segments = path.split("/").map(decodeURIComponent);
    return pages.find(({ pattern }) => isMatch(pattern, segments))?.actions ?? none;
  };
}

/** The server actions that a script's request names in its header. */
export function namedActions({ method, headers }: IncomingMessage): string[] {
  return method === "POST" ? [headers["next-action"] ?? []].flat() : [];
}

/** The server actions that a form sent without a script names in its fields; undefined if it can't be parsed. */
export async function actionsOfForm({ method, headers }: IncomingMessage, body: Buffer): Promise<string[] | undefined> {
  const contentType = headers["content-type"] ?? "";
  if (method !== "POST" || !contentType.startsWith("multipart/form-data")) return [];
  try {
    // The parser that Next uses, so that both see the same fields.
    const form = await new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData();
    return [...form.keys()].flatMap((name) => idsOf(name, form));
  } catch {
    return undefined;
  }
}

// `$ACTION_ID_<id>` names an action; `$ACTION_REF_<n>` one with bound values, described in `$ACTION_<n>:0`.
function idsOf(name: string, form: FormData): string[] {
  if (name.startsWith("$ACTION_ID_")) return [name.slice("$ACTION_ID_".length)];
  if (!name.startsWith("$ACTION_REF_")) return [];
  const descriptions = form.getAll(`$ACTION_${name.slice("$ACTION_REF_".length)}:0`);
  return descriptions.map((text) => /^\{"id":"([^"]*)"/.exec(String(text))?.[1] ?? "");
}

const none: ReadonlySet<string> = new Set();

function isMatch(pattern: string[], segments: string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, index) => part === segments[index] || (isParameter(part) && segments[index] !== ""));
}

function countParameters(pattern: string[]): number {
  return pattern.filter(isParameter).length;
}

// Not `[...rest]`: only route handlers have such paths here, and they hold no actions.
function isParameter(part: string): boolean {
  return /^\[[^.\]]+\]$/.test(part);
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, "utf8"));
}
