import { expect, test, vi } from "vitest";
import { openVisit } from "../../operations/visits/open-visit.ts";
import { createTestClient } from "../../testing/clients.ts";
import { authorizationQuery } from "../../testing/visits.ts";

// Before the settings are read: the pages have another address.
vi.stubEnv("SERVICE_BASE_URL", "http://127.0.0.1:4000");
vi.stubEnv("SERVICE_AUTH_URL", "http://127.0.0.1:4001");

test("200: the metadata announces the pages' own address; the issuer is the API's", async () => {
  const { call } = await createTestClient();
  const { json } = await call("GET", "/.well-known/oauth-authorization-server", { authorization: null });
  expect(json).toMatchObject({
    issuer: "http://127.0.0.1:4000",
    authorization_endpoint: "http://127.0.0.1:4001/login/oauth/authorize",
    token_endpoint: "http://127.0.0.1:4000/v1/oauth/token",
  });
});

test("responses of the pages have the same issuer", async () => {
  const client = await createTestClient();
  const arrival = await openVisit(authorizationQuery(client, {}), { traceId: "a".repeat(32) });
  expect(arrival).toMatchObject({
    kind: "sent_back",
    returnTo: expect.stringContaining("iss=http%3A%2F%2F127.0.0.1%3A4000"),
  });
});
