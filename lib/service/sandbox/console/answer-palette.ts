import { userIntentList, userList } from "../../../contract/sandbox.ts";
import { drillList } from "../../../contract/sandbox-checks.ts";
import { readConsoleClientOf } from "./console-session.ts";
import { read } from "./read.ts";

/** What the command palette finds apart from pages. */
export type PaletteContent = {
  people: { join: string; name: string; status: string }[];
  drills: { id: string; title: string }[];
};

/** 401 when signed out, 502 if the service didn't answer. */
export async function answerPalette(request: Request): Promise<Response> {
  const headers = { "cache-control": "no-store" };
  const client = await readConsoleClientOf(request);
  if (!client) return new Response(null, { status: 401, headers });
  try {
    const [{ users }, { user_intents }, { drills }] = await Promise.all([
      read(client, "/sandbox/users", userList),
      read(client, "/sandbox/user_intents", userIntentList),
      read(client, "/sandbox/drills", drillList),
    ]);
    const person = (
      kind: string,
      { id, first_name, last_name, status }: (typeof users | typeof user_intents)[number],
    ) => ({
      join: `${kind}:${id}`,
      name: `${first_name} ${last_name}`,
      status,
    });
    const content: PaletteContent = {
      people: [...users.map((user) => person("user", user)), ...user_intents.map((intent) => person("intent", intent))],
      drills: drills.map(({ id, title }) => ({ id, title })),
    };
    return Response.json(content, { headers });
  } catch {
    return new Response(null, { status: 502, headers });
  }
}
