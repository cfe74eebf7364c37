import { describe, expect, test } from "vitest";
import {
  authorizationResponseUrl,
  checkAuthorizationRequest,
  clientIdOf,
  isNamedPerson,
  type RegisteredClient,
} from "./authorization-request.ts";

const intentId = "01990000-0000-7000-8000-00000000000a";
const userId = "01990000-0000-7000-8000-00000000000b";
const redirectUri = "https://partner.example/callback";
const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

const trustedClient: RegisteredClient = {
  id: "harbor",
  name: "Harbor",
  redirectUris: [redirectUri],
  isTrustedAuthenticationEnabled: true,
};
const plainClient: RegisteredClient = { ...trustedClient, isTrustedAuthenticationEnabled: false };

const complete = {
  client_id: "harbor",
  redirect_uri: redirectUri,
  response_type: "code",
  session_token: "gwi_token",
  user_intent_id: intentId,
};

function check(
  parameters: Record<string, string | string[] | undefined>,
  client: RegisteredClient | undefined = trustedClient,
) {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries({ ...complete, ...parameters })) {
    for (const value of [values ?? []].flat()) query.append(name, value);
  }
  return checkAuthorizationRequest(query, client);
}

describe("accepted", () => {
  test("a complete request, ids in lower case", () => {
    expect(check({ state: "s", user_intent_id: intentId.toUpperCase() })).toEqual({
      kind: "request",
      request: {
        clientId: "harbor",
        clientName: "Harbor",
        redirectUri,
        state: "s",
        codeChallenge: undefined,
        sessionToken: "gwi_token",
        person: { kind: "user_intent", userIntentId: intentId },
      },
    });
  });

  test.each([
    ["a session token without any id", { user_intent_id: undefined }, { kind: "of_session_token" }],
    ["a session token with a user", { user_intent_id: undefined, user_id: userId }, { kind: "user", userId }],
    ["an unknown parameter, even twice", { prompt: ["a", "b"] }, { kind: "user_intent", userIntentId: intentId }],
    ["an empty parameter as absent", { user_id: "", state: "" }, { kind: "user_intent", userIntentId: intentId }],
  ])("%s", (_case, parameters, person) => {
    expect(check(parameters)).toMatchObject({ kind: "request", request: { person } });
  });

  test("no session token from a client that cannot mint one", () => {
    expect(check({ session_token: undefined }, plainClient)).toMatchObject({ kind: "request" });
  });

  test("the named one of several registered addresses", () => {
    const second = `${redirectUri}/second`;
    const client = { ...trustedClient, redirectUris: [redirectUri, second] };
    expect(check({ redirect_uri: second }, client)).toMatchObject({
      kind: "request",
      request: { redirectUri: second },
    });
  });

  test("a challenge with S256", () => {
    const request = { code_challenge: challenge, code_challenge_method: "S256" };
    expect(check(request)).toMatchObject({ kind: "request", request: { codeChallenge: challenge } });
  });

  test.each(["a b&c=d", " ", "ü✓", "\u202e", "x".repeat(2048)])("the state %#", (state) => {
    expect(check({ state })).toMatchObject({ kind: "request", request: { state } });
  });
});

describe("never redirected", () => {
  test.each([
    ["query added", `${redirectUri}?a=1`],
    ["fragment", `${redirectUri}#a`],
    ["trailing slash", `${redirectUri}/`],
    ["other case", "https://partner.example/Callback"],
    ["host in other case", "https://PARTNER.example/callback"],
    ["explicit port", "https://partner.example:443/callback"],
    ["path with ..", "https://partner.example/x/../callback"],
    ["encoded letter", "https://partner.example/callbac%6b"],
    ["trailing space", `${redirectUri} `],
    ["prefix", redirectUri.slice(0, -1)],
    ["unregistered", "https://attacker.example/callback"],
    ["missing", undefined],
    ["empty", ""],
    ["repeated", [redirectUri, redirectUri]],
    ["repeated with another value", [redirectUri, "https://attacker.example"]],
  ])("redirect_uri: %s", (_case, redirect_uri) => {
    expect(check({ redirect_uri })).toEqual({ kind: "refused", problem: "redirect_uri" });
  });

  test("redirect_uri: a changed registered query", () => {
    const client = { ...trustedClient, redirectUris: [`${redirectUri}?a=1&b=2`] };
    expect(check({ redirect_uri: `${redirectUri}?b=2&a=1` }, client)).toMatchObject({ kind: "refused" });
    expect(check({ redirect_uri: `${redirectUri}?a=1&b=2` }, client)).toMatchObject({ kind: "request" });
  });

  test.each([
    ["missing", undefined],
    ["repeated", ["harbor", "harbor"]],
    ["another", "other"],
  ])("client_id: %s", (_case, client_id) => {
    expect(check({ client_id })).toEqual({ kind: "refused", problem: "client_id" });
  });

  test("client_id: unknown", () => {
    const query = new URLSearchParams(complete);
    expect(checkAuthorizationRequest(query, undefined)).toEqual({ kind: "refused", problem: "client_id" });
  });
});

describe("redirected to the client with an error", () => {
  test.each([
    ["response_type missing", { response_type: undefined }, "invalid_request"],
    ["response_type token", { response_type: "token" }, "unsupported_response_type"],
    ["response_type repeated", { response_type: ["code", "code"] }, "invalid_request"],
    ["session_token missing", { session_token: undefined }, "invalid_request"],
    ["session_token repeated", { session_token: ["a", "b"] }, "invalid_request"],
    ["both ids", { user_id: userId }, "invalid_request"],
    ["user_intent_id that isn't a UUID", { user_intent_id: "1" }, "invalid_request"],
    ["user_id that isn't a UUID", { user_intent_id: undefined, user_id: "1" }, "invalid_request"],
    ["plain", { code_challenge: challenge, code_challenge_method: "plain" }, "invalid_request"],
    ["no method, which means plain", { code_challenge: challenge }, "invalid_request"],
    ["method without challenge", { code_challenge_method: "S256" }, "invalid_request"],
    ["challenge of 42", { code_challenge: challenge.slice(1), code_challenge_method: "S256" }, "invalid_request"],
    ["challenge of 44", { code_challenge: `${challenge}A`, code_challenge_method: "S256" }, "invalid_request"],
    [
      "challenge in base64",
      { code_challenge: challenge.replace("-", "+"), code_challenge_method: "S256" },
      "invalid_request",
    ],
  ])("%s", (_case, parameters, error) => {
    expect(check({ state: "s", ...parameters })).toMatchObject({ kind: "sent_back", redirectUri, state: "s", error });
  });

  test("no id, from a client without session tokens", () => {
    const request = { session_token: undefined, user_intent_id: undefined };
    expect(check(request, plainClient)).toMatchObject({ kind: "sent_back", error: "invalid_request" });
  });

  test.each([
    ["too long", "x".repeat(2049)],
    ["NUL", "a\0b"],
    ["repeated", ["a", "b"]],
  ])("a state that can't be echoed is left out: %s", (_case, state) => {
    expect(check({ state })).toMatchObject({ kind: "sent_back", state: undefined, error: "invalid_request" });
  });
});

test("a client_id that PostgreSQL can't store counts as missing", () => {
  expect(clientIdOf(new URLSearchParams("client_id=a%00b"))).toBeUndefined();
  expect(clientIdOf(new URLSearchParams("client_id=harbor"))).toBe("harbor");
});

test.each([
  [
    "the token's intent",
    { kind: "user_intent", userIntentId: intentId },
    { userIntentId: intentId, userId: null },
    true,
  ],
  ["another intent", { kind: "user_intent", userIntentId: userId }, { userIntentId: intentId, userId: null }, false],
  [
    "no intent, but the token is for one",
    { kind: "of_session_token" },
    { userIntentId: intentId, userId: null },
    false,
  ],
  [
    "an intent, but the token is for a user",
    { kind: "user_intent", userIntentId: intentId },
    { userIntentId: null, userId },
    false,
  ],
  ["the token's user", { kind: "user", userId }, { userIntentId: null, userId }, true],
  ["another user", { kind: "user", userId: intentId }, { userIntentId: null, userId }, false],
  ["a user, but the token is for an intent", { kind: "user", userId }, { userIntentId: intentId, userId: null }, false],
  ["no one, and the token is for a user", { kind: "of_session_token" }, { userIntentId: null, userId }, true],
] as const)("whether a request names the session token's person: %s", (_case, named, minted, expected) => {
  expect(isNamedPerson(named, minted)).toBe(expected);
});

test("a response keeps the registered address unchanged", () => {
  expect(authorizationResponseUrl(redirectUri, { code: "c", state: undefined, iss: "http://a" })).toBe(
    `${redirectUri}?code=c&iss=http%3A%2F%2Fa`,
  );
  expect(authorizationResponseUrl("https://a.example?x=%20y", { state: "a&b c" })).toBe(
    "https://a.example?x=%20y&state=a%26b+c",
  );
});

test("a response to an address with semicolons or letters outside ASCII is a valid header, for the same place", () => {
  const url = authorizationResponseUrl("https://bücher.example/café;v=1?a=1;b=é", { code: "c" });
  expect(url).toBe("https://b%C3%BCcher.example/caf%C3%A9%3Bv=1?a=1%3Bb=%C3%A9&code=c");
  expect(new URL(url).host).toBe(new URL("https://bücher.example").host);
  expect(new Headers({ location: url }).get("location")).toBe(url);
});
