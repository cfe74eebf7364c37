import { expect, test } from "vitest";
import type { LoadAnswer, LoadConnection, LoadRequest } from "./http.ts";
import { actorsOf, type Scenario } from "./scenarios.ts";

/** A connection answered by `answer`, with its sent requests. */
function connectionTo(answer: (request: LoadRequest) => LoadAnswer) {
  const sent: LoadRequest[] = [];
  const connection: LoadConnection = {
    send: async (request) => {
      sent.push(request);
      return answer(request);
    },
    close: async () => undefined,
  };
  return { connection, sent };
}

const headerOf = ({ headers }: LoadRequest, name: string) => headers[headers.indexOf(name) + 1];

async function playOnce(scenario: Scenario, answer: LoadAnswer): Promise<unknown> {
  const [work] = actorsOf(scenario, [connectionTo(() => answer).connection]);
  return work?.().catch((error: Error) => error.message);
}

test("each refresh uses the previous token, and actors don't share users", async () => {
  let issued = 0;
  const answer = () => ({ status: 200, text: JSON.stringify({ refresh_token: `new-${++issued}` }) });
  const sides = [connectionTo(answer), connectionTo(answer)];
  const scenario: Scenario = {
    kind: "refresh",
    path: "/token",
    authorization: "Basic x",
    refreshTokens: ["a", "b", "c"],
  };
  const [first, second] = actorsOf(
    scenario,
    sides.map(({ connection }) => connection),
  );
  for (let turn = 0; turn < 3; turn++) await first?.();
  await second?.();
  const shown = (index: number) => sides[index]?.sent.map(({ body }) => body?.split("refresh_token=")[1]);
  expect(shown(0)).toEqual(["a", "c", "new-1"]);
  expect(shown(1)).toEqual(["b"]);
});

test("every booking has its own idempotency key, and sources and destinations rotate", async () => {
  const { connection, sent } = connectionTo(() => ({ status: 201, text: "{}" }));
  const destinationIds = ["w1", "w2", "w3"];
  const [work] = actorsOf({ kind: "book", authorization: "Bearer x", sourceIds: ["s1", "s2"], destinationIds }, [
    connection,
  ]);
  for (let turn = 0; turn < 6; turn++) await work?.();
  const bodies = sent.map(({ body }) => JSON.parse(body ?? "") as Record<string, string>);
  expect(new Set(sent.map((request) => headerOf(request, "idempotency-key"))).size).toBe(6);
  expect(bodies.map(({ source_id }) => source_id)).toEqual(["s1", "s2", "s1", "s2", "s1", "s2"]);
  expect(new Set(bodies.map(({ destination_id }) => destination_id))).toEqual(new Set(destinationIds));
});

test("a mixed load rotates through its scenarios", async () => {
  const { connection, sent } = connectionTo(() => ({ status: 200, text: "{}" }));
  const read = (path: string): Scenario => ({ kind: "read", path, authorizations: ["Bearer x"] });
  const [work] = actorsOf({ kind: "mixed", inTurn: [read("/a"), read("/b")] }, [connection]);
  for (let turn = 0; turn < 4; turn++) await work?.();
  expect(sent.map(({ path }) => path)).toEqual(["/a", "/b", "/a", "/b"]);
});

test.each<[Scenario, LoadAnswer, unknown]>([
  [{ kind: "read", path: "/", authorizations: ["x"] }, { status: 401, text: "" }, false],
  [{ kind: "page", path: "/p", cookie: "" }, { status: 302, text: "" }, "/p returned 302."],
  [
    { kind: "refresh", path: "/", authorization: "x", refreshTokens: ["a"] },
    { status: 400, text: '{"error":"invalid_grant"}' },
    '400 {"error":"invalid_grant"}',
  ],
  [
    { kind: "book", authorization: "x", sourceIds: ["s"], destinationIds: ["d"] },
    { status: 200, text: "a replay" },
    "200 a replay",
  ],
])("a wrong answer is an error: %j, %j", async (scenario, answer, expected) => {
  expect(await playOnce(scenario, answer)).toBe(expected);
});
