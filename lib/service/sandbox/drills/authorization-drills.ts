import type { ForeignPart } from "../../../contract/sandbox-faults.ts";
import { advanceClock, type Drill, type DrillStep, setFault } from "./drill.ts";

function redirectWithForeign(foreign: ForeignPart): DrillStep {
  return setFault({ operation: "authorize", foreign, times: 1 });
}

export const authorizationDrills: readonly Drill[] = [
  {
    id: "code-comes-twice",
    title: "The authorization response arrives twice",
    broken: "Nothing: the person reloads the page they returned to.",
    clauses: ["I.tokens-and-codes.1", "D10.2"],
    interfaceSays: "An authorization code is exchanged once; a valid second use revokes what the first one issued.",
    goodClient: "Redeems the state once, so a reload has nothing to exchange.",
    steps: [{ do: "Authorize a person, go back in the browser, and load the address with the code again." }],
    expect: ["code-exchanged-once"],
    proof: "One exchange, and the connection still works.",
  },
  {
    id: "state-of-another",
    title: "The authorization response has another state",
    broken: "The next person to authorize comes back with a state that your app never sent.",
    clauses: ["D9.1"],
    interfaceSays: "state comes back as it was sent.",
    goodClient: "Shows that it can't match the response to a request, and exchanges nothing.",
    steps: [
      redirectWithForeign("state"),
      {
        do: "Have a person who isn't connected authorize, look at what your app shows, and have them authorize again.",
      },
    ],
    expect: ["state-checked"],
    proof: "A code that is never exchanged, and a connection only on the second try.",
  },
  {
    id: "issuer-of-another",
    title: "The authorization response is from another issuer",
    broken: "The next person to authorize comes back with the iss of another authorization server.",
    clauses: ["D9.2"],
    interfaceSays: "Every redirect back carries iss (RFC 9207).",
    goodClient: "Compares iss with the issuer that it sent the person to, and exchanges nothing.",
    steps: [
      redirectWithForeign("issuer"),
      {
        do: "Have a person who isn't connected authorize, look at what your app shows, and have them authorize again.",
      },
    ],
    expect: ["issuer-checked"],
    proof: "A code that is never exchanged, and a connection only on the second try.",
  },
  {
    id: "code-of-another",
    title: "The authorization response has another person's code",
    broken:
      "The next person to authorize comes back with a code of your business, which your verifier redeems. On the business's own visit, it's another user's.",
    clauses: ["I.get-v1-user.1", "D10.3"],
    interfaceSays: "GET /v1/user returns the user whom an access token is bound to.",
    goodClient:
      "Calls GET /v1/user after the exchange, sees another person, drops the tokens without revoking them, and connects no one.",
    steps: [
      redirectWithForeign("person"),
      {
        do: "Have a person other than the business who isn't connected authorize, look at what your app shows, and have them authorize again.",
      },
    ],
    expect: ["expected-person"],
    proof: "A read of the user and no other call with those tokens. The business's next call refreshes once.",
  },
  {
    id: "person-says-no",
    title: "A person declines",
    broken: "Nothing: the person cancels.",
    clauses: ["D9.3", "D9.5"],
    interfaceSays: "Cancel returns access_denied to the redirect_uri.",
    goodClient: "Shows a page that offers to try again. It exchanges nothing and doesn't redirect on its own.",
    steps: [{ do: "Start to authorize, press Cancel on the service's page, and look at what your app shows." }],
    expect: ["denied-consent-ends"],
    proof: "A cancelled visit, and nothing after it until the person decides.",
  },
  {
    id: "two-visits",
    title: "One person authorizes in two tabs",
    broken: "Nothing: two visits are open at once.",
    clauses: ["D9.1", "I.tokens-and-codes.4"],
    interfaceSays: "A verification token is used once; state comes back unchanged.",
    goodClient: "Mints a token and generates a state and a challenge for each visit.",
    steps: [{ do: "Start to authorize in two tabs at once, then finish both, the first tab last." }],
    expect: ["state-never-repeated", "challenge-never-repeated", "session-token-per-visit", "session-token-in-time"],
    proof: "Two visits with different states and tokens.",
  },
  {
    id: "page-left-open",
    title: "A page with an authorize button is left open",
    broken:
      "The client's clock moves forward by two minutes while the page is open, longer than a verification token lives.",
    clauses: ["I.tokens-and-codes.4", "I.limits.7"],
    interfaceSays: "The verification token is valid one minute.",
    goodClient: "Mints the token when the person clicks, not when the page renders.",
    steps: [
      { do: "Open the page of your app where authorizing starts, and leave it open for a few seconds." },
      advanceClock(120),
      { do: "Start to authorize." },
    ],
    expect: ["session-token-in-time"],
    proof: "The visit opens on the first try.",
  },
  {
    id: "stranger-asks",
    title: "Strangers call your customer endpoint",
    broken:
      "The service asks for a customer that doesn't exist, and for one of yours without the secret and with a wrong one.",
    clauses: ["I.get-v1-customers-{customer-id}.1", "D21.4"],
    interfaceSays: "The endpoint is there so that the service can retrieve customers.",
    goodClient: "Answers 404 for an unknown customer, and 401 without the right secret.",
    steps: [
      { do: "Have a person start to authorize, so the service knows one of your customers." },
      { call: { method: "POST", path: "/sandbox/customer_probes", body: {} } },
    ],
    expect: ["customer-unknown-not-found", "customer-secret-required"],
    proof: "404, 401 and 401.",
  },
  {
    id: "customer-endpoint-again",
    title: "The service calls your customer endpoint repeatedly",
    broken: "Nothing: three people start to authorize, one after the other.",
    clauses: ["I.customer-record.5", "D11.2", "D21.3"],
    interfaceSays: "The record has five fields, and its time has milliseconds and is UTC.",
    goodClient: "Returns complete records, each within a second.",
    steps: [{ do: "Have a person start to authorize three times, and cancel each time." }],
    expect: [
      "customer-answered",
      "customer-within-a-second",
      "customer-record-whole",
      "customer-time-exact",
      "customer-time-past",
      "customer-matches",
    ],
    proof: "Every request gets a complete record within a second.",
  },
];
