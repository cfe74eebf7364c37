import { advanceClock, type Drill, openAccounts, setFault } from "./drill.ts";

const pastAccessTokens = advanceClock(7300);

export const tokenDrills: readonly Drill[] = [
  {
    id: "access-token-ends",
    title: "An access token expires",
    broken: "The client's clock moves past the expiry of every access token.",
    clauses: ["I.authentication.7", "I.authentication.13"],
    interfaceSays: "An expired access token is replaced through refresh.",
    goodClient: "Refreshes once, either because the token has expired or because a call was refused, and carries on.",
    steps: [pastAccessTokens, openAccounts],
    expect: ["refresh-only-when-needed"],
    proof: "Your app shows the accounts. The record has one refresh, and it was needed.",
  },
  {
    id: "access-token-ends-twice",
    title: "An access token expires, and the next one too",
    broken: "The client's clock moves past the expiry of every access token, twice.",
    clauses: ["I.tokens-and-codes.3", "D10.3"],
    interfaceSays: "A refresh answers with a new access token and a new refresh token.",
    goodClient: "Stores both tokens of each answer, and refreshes with the newest.",
    steps: [pastAccessTokens, openAccounts, pastAccessTokens, openAccounts],
    expect: ["newest-refresh-token"],
    proof: "The second refresh has the refresh token of the first one's answer.",
  },
  {
    id: "token-refused",
    title: "A call is refused with token_expired",
    broken: "The next call for accounts is refused as if the access token had expired, although it hasn't.",
    clauses: ["I.errors.1", "D5.5"],
    interfaceSays: "Using an expired access token produces a token-expired error; the client must refresh and retry.",
    goodClient: "Trusts the error over its own clock: refreshes once, then repeats the call.",
    steps: [setFault({ operation: "listAccounts", times: 1, status: 401 }), openAccounts],
    expect: ["refresh-then-repeat", "refresh-only-when-needed"],
    proof: "The second call, with a new access token, returns the accounts.",
  },
  {
    id: "tabs-refresh-together",
    title: "Two tabs refresh at the same time",
    broken: "Access tokens expire, and the token endpoint takes a second and a half to answer.",
    clauses: ["I.authentication.13", "D10.3"],
    interfaceSays: "Refreshing races between near-simultaneous requests, so refreshes are serialized per user.",
    goodClient: "Refreshes in one tab; the other waits and uses the new pair.",
    steps: [
      pastAccessTokens,
      setFault({ operation: "issueTokens", times: 4, latency_ms: 1500 }),
      {
        do: "As one person, open a page that shows accounts in two tabs at once, in the second with ?tab=2 after the address: a browser holds back a second request for the same one.",
      },
    ],
    expect: ["refresh-one-at-a-time"],
    proof: "Both tabs show the accounts, and no two refreshes with the same token overlap.",
  },
  {
    id: "new-token-everywhere",
    title: "Every process switches to the new access token",
    broken: "Access tokens expire, so the client needs a new pair.",
    clauses: ["I.authentication.12", "I.tokens-and-codes.2"],
    interfaceSays: "Only one access token is valid at a time per user; the current one is used for all requests.",
    goodClient: "Reads the stored pair for each request, in every process.",
    steps: [
      pastAccessTokens,
      openAccounts,
      {
        do: "A few seconds later, do something else with that person's connection, in each process your app runs.",
      },
    ],
    expect: ["current-access-token"],
    proof: "Every call uses the new token.",
  },
  {
    id: "week-passes",
    title: "A week passes without activity",
    broken: "The client's clock moves forward by seven days.",
    clauses: ["I.authentication.14"],
    interfaceSays:
      "A new refresh token is obtained for every token periodically, weekly for example, inside its ten days.",
    goodClient: "Runs a job that renews each stored pair once a week, even if it's unused.",
    steps: [
      advanceClock(604_800),
      {
        do: "Run your app's token renewal job. If your app has its own clock, move it forward by a week too.",
      },
    ],
    expect: ["renew-inside-ten-days"],
    proof: "A refresh of a pair that had been idle for days.",
  },
  {
    id: "refresh-token-ends",
    title: "A refresh token expires",
    broken: "The client's clock moves forward by eleven days, past the expiry of every refresh token.",
    clauses: ["I.states-and-transitions.6", "I.authentication.7"],
    interfaceSays: "When the refresh token has expired, the end-user must authorize again.",
    goodClient: "Calls the token endpoint at most once, deletes the pair, and asks the person to authorize again.",
    steps: [
      { do: "Connect a person, and leave your app's own clock alone." },
      advanceClock(950_400),
      openAccounts,
      { do: "Follow what your app offers, and authorize again." },
    ],
    expect: ["expired-refresh-token"],
    proof: "One refused refresh, then a visit by the same person and a new pair.",
  },
  {
    id: "token-endpoint-down",
    title: "The token endpoint is down for a moment",
    broken: "Access tokens expire, and the next three token requests are answered with 503.",
    clauses: ["I.authentication.7", "D5.12"],
    interfaceSays: "A refresh token may be used until it expires; a temporary refusal isn't final.",
    goodClient:
      "Waits as long as retry-after says, retries a few times, keeps the pair, and tells the person that the service is unavailable.",
    steps: [
      pastAccessTokens,
      setFault({ operation: "issueTokens", times: 3, status: 503 }),
      openAccounts,
      { do: "Look again half a minute later." },
    ],
    expect: ["retries-bounded"],
    proof: "A few retries with pauses, then a successful refresh. The person doesn't have to authorize again.",
  },
];
