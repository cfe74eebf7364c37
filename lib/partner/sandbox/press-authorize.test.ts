import { afterAll, beforeEach, expect, test } from "vitest";
import { startFakeServer } from "../../kit/testing/fake-server.ts";
import { pressAuthorize } from "./press-authorize.ts";

// The exchange with the authorization pages: session token, visit, form, callback.

const publicHost = "bank.example";
const callback = "http://harbor.example/callback";
const page = `
  <form method="post"><input type="hidden" name="choice" value="no"/><button>Don&#x27;t authorize</button></form>
  <form method="post">
    <input type="hidden" name="$ACTION" value="{&quot;id&quot;:&quot;a&amp;lt;b&quot;}"/><input type="checkbox"/>
    <input type="hidden" name="who" value="Marta &lt;O&#x27;Quay&gt;"/><button type="submit"><!-- -->Authorize</button>
  </form>
  <form><input name="late" value="1"/></form>`;

const { url, requests, answer, stop } = await startFakeServer();
afterAll(stop);

const pages = {
  entry: { location: "/visit?step=1", "set-cookie": ["visit=v1; Path=/; HttpOnly", "csrf=c1; Path=/"] } as object,
  html: page,
  redirect: { location: `${callback}?code=c&state=s` } as object,
};

beforeEach(() => {
  requests.length = 0;
  serve(pages);
});

function serve({ entry, html, redirect }: typeof pages): void {
  answer(({ method, path }, response) => {
    if (path.startsWith("/enter")) response.writeHead(303, { ...entry }).end();
    else if (method === "GET") response.writeHead(200, { "content-type": "text/html" }).end(html);
    else response.writeHead(303, { ...redirect }).end();
  });
}

test("carries the visit's cookies to the form, and submits exactly its fields from its origin", async () => {
  const query = await pressAuthorize(`${url}/enter?token=t`, callback);
  expect(query && Object.fromEntries(query)).toEqual({ code: "c", state: "s" });
  expect(requests.map(({ method, path, headers }) => [method, path, headers["cookie"], headers["origin"]])).toEqual([
    ["GET", "/enter?token=t", undefined, undefined],
    ["GET", "/visit?step=1", "visit=v1; csrf=c1", undefined],
    ["POST", "/visit?step=1", "visit=v1; csrf=c1", url],
  ]);
  const { headers, body } = requests.at(-1) ?? { headers: {} as Record<string, string>, body: "" };
  expect(headers["x-forwarded-host"]).toBeUndefined();
  const form = await new Response(body, { headers: { "content-type": String(headers["content-type"]) } }).formData();
  expect([...form]).toEqual([
    ["$ACTION", '{"id":"a&lt;b"}'],
    ["who", "Marta <O'Quay>"],
  ]);
});

test("dials another address, but sends the host of the public one", async () => {
  expect(await pressAuthorize(`http://${publicHost}/enter?token=t`, callback, url)).toBeDefined();
  expect(requests.map(({ path, headers }) => [path, headers["x-forwarded-host"], headers["origin"]])).toEqual([
    ["/enter?token=t", publicHost, undefined],
    ["/visit?step=1", publicHost, undefined],
    ["/visit?step=1", publicHost, `http://${publicHost}`],
  ]);
});

test.each([
  ["show no page", { entry: {} }, 1],
  ["show no form", { html: "<p>Sorry.</p>" }, 2],
  ["ask for a code", { html: page.replace(">Authorize<", ">Verify<") }, 2],
  ["redirect nowhere", { redirect: {} }, 3],
  ["redirect to a path other than the callback's", { redirect: { location: `${callback}/else?code=c` } }, 3],
  ["redirect to another origin", { redirect: { location: `${url}/callback?code=c` } }, 3],
])("returns nothing when the pages %s", async (_name, changes, sent) => {
  serve({ ...pages, ...changes });
  expect(await pressAuthorize(`${url}/enter?token=t`, callback)).toBeUndefined();
  expect(requests).toHaveLength(sent);
});
