import { partner } from "../../process-partner.ts";
import { always, body, type Difference, fields, html, nth, once, together } from "./difference.ts";

const exchange = "POST /v1/oauth/token";
const user = "GET /v1/user";
const mint = "POST /v1/partner/identity/verification";
const document = "GET /.well-known/oauth-authorization-server";
const tokensOpen = "Request parameters and response body of this endpoint: not shown.";
const wordsOpen =
  "Allowed values of kyc_type, status and user_type beyond the observed ones, and the element shape of rejection_reasons: not shown.";
const phoneOpen = "Which of these fields are required, and the exact formats of ssn and phone: not shown.";
const errorsOpen = "Error body format, error codes and HTTP status codes: not shown.";
const pagesOpen = "GET {auth_url}/login/oauth/authorize with query parameters:";
const customersOpen = "The client exposes this endpoint so the service can retrieve customer information.";
const compatibilityOpen = "Deprecation and compatibility policy: not shown.";
const addressOpen = "Paths are relative to {base_url}.";

const noIssuer: Difference["apply"] = ({ switches }) => {
  switches.editCallback = (query) => {
    query.delete("iss");
    return query;
  };
};
const noState: Difference["apply"] = ({ switches }) => {
  switches.editCallback = (query) => {
    query.delete("state");
    return query;
  };
};
const seconds = (count: number) => new Promise((resolve) => setTimeout(resolve, count * 1000));
const phone = (write: (phone: string) => unknown) =>
  body(user, (record) => ({ ...record, phone: write(String(record["phone"])) }));
const under = (path: string) => (url: string) => ({
  PARTNER_SERVICE_BASE_URL: url + path,
  PARTNER_SERVICE_AUTH_URL: url + path,
});

export const authorizationDifferences: Difference[] = [
  {
    what: "omits a token's lifetime",
    open: tokensOpen,
    isHarmless: true,
    apply: fields(exchange, { expires_in: undefined }),
  },
  {
    what: "omits a token's type",
    open: tokensOpen,
    isHarmless: true,
    apply: fields(exchange, { token_type: undefined }),
  },
  { what: "returns a token's lifetime as a string", open: tokensOpen, apply: fields(exchange, { expires_in: "7200" }) },
  { what: "returns a token's lifetime as null", open: tokensOpen, apply: fields(exchange, { expires_in: null }) },
  { what: "returns the token type in lowercase", open: tokensOpen, apply: fields(exchange, { token_type: "bearer" }) },
  {
    what: "issues tokens with a scope and extra fields",
    open: "Scopes and permission levels of tokens: not shown.",
    isHarmless: true,
    apply: fields(exchange, { scope: "all", id_token: "a.b.c", created_at: 1 }),
  },
  {
    what: "issues tokens that expire after five seconds",
    open: tokensOpen,
    apply: fields(exchange, { expires_in: 5 }),
  },
  {
    what: "returns 201 for issued tokens",
    open: errorsOpen,
    apply: always(exchange, (answer) => (answer.status === 200 ? { ...answer, status: 201 } : answer)),
  },
  { what: "loses the response to a token request once", open: tokensOpen, apply: once(exchange, () => "cut") },
  {
    what: "returns 500 to a token request once",
    open: errorsOpen,
    apply: once(exchange, () => ({ status: 500, text: "oops" })),
  },
  {
    what: "returns 429 to a token request once",
    open: "Rate limits: not shown.",
    apply: once(exchange, () => ({ status: 429 })),
  },
  {
    what: "rejects a new token on its first request",
    open: errorsOpen,
    apply: once(user, () => ({ status: 401 })),
  },
  {
    what: "returns 403 for an expired token",
    open: errorsOpen,
    apply: nth(2, "GET /v1/accounts", () => ({ status: 403, body: { error: "token_expired" } })),
  },
  {
    what: "returns 401 with its own body for an expired token",
    open: errorsOpen,
    apply: nth(2, "GET /v1/accounts", () => ({ status: 401, text: "expired" })),
  },
  {
    what: "returns 403 with plain text for an expired token",
    open: errorsOpen,
    apply: nth(2, "GET /v1/accounts", () => ({ status: 403, text: "That token has expired." })),
  },
  {
    what: "accepts only forms at the token endpoint",
    open: tokensOpen,
    apply: ({ switches }) => {
      switches.isTokenForm = true;
    },
  },
  {
    what: "accepts a new token only after 300 ms",
    open: errorsOpen,
    isHarmless: true,
    apply: ({ fake }) => {
      let issuedAt = 0;
      fake.change(exchange, (answer) => {
        issuedAt = Date.now();
        return answer;
      });
      fake.change(user, (answer) =>
        Date.now() - issuedAt < 300 ? { status: 401, body: { error: "unknown" } } : answer,
      );
    },
  },
  {
    what: "takes four seconds to issue tokens",
    open: "Rate limits: not shown.",
    apply: once(exchange, (answer) => seconds(4).then(() => answer)),
  },
  {
    what: "takes four seconds to mint a session token",
    open: "Rate limits: not shown.",
    apply: once(mint, (answer) => seconds(4).then(() => answer)),
  },
  { what: "fails once to read a user", open: errorsOpen, apply: once(user, () => ({ status: 500 })) },
  {
    what: "returns a seller as a business",
    open: wordsOpen,
    stops: "The authorization of the seller ended as other_user.",
    apply: fields(user, { user_type: "Business" }),
  },
  {
    what: "suspends sellers",
    open: wordsOpen,
    stops: "The seller can't be paid.",
    apply: fields(user, { status: "suspended" }),
  },
  {
    what: "returns users as individuals and companies",
    open: wordsOpen,
    apply: body(user, (record) => ({
      ...record,
      user_type: record["user_type"] === "personal" ? "individual" : "company",
    })),
  },
  { what: "returns users with status monitored", open: wordsOpen, apply: fields(user, { status: "monitored" }) },
  {
    what: "uses a different word for verified",
    open: wordsOpen,
    isHarmless: true,
    apply: fields(user, { kyc_type: "passed" }),
  },
  { what: "returns a user with null metadata", open: wordsOpen, apply: fields(user, { metadata: null }) },
  { what: "returns a user with numbers in metadata", open: wordsOpen, apply: fields(user, { metadata: { tier: 3 } }) },
  {
    what: "returns a user with null reasons",
    open: wordsOpen,
    isHarmless: true,
    apply: fields(user, { rejection_reasons: null }),
  },
  {
    what: "returns a user's reasons as strings",
    open: wordsOpen,
    apply: fields(user, { rejection_reasons: ["none"] }),
  },
  {
    what: "returns a user with receive_only as a string",
    open: wordsOpen,
    apply: fields(user, { receive_only: "false" }),
  },
  {
    what: "returns a user with extra fields",
    open: compatibilityOpen,
    isHarmless: true,
    apply: fields(user, { created_at: 1, address: { city: "Boston" } }),
  },
  {
    what: "uses user ids that aren't UUIDs",
    open: compatibilityOpen,
    apply: ({ switches }) => {
      switches.idOf = (id) => (id === partner().config.businessUserId ? id : `usr_${id}`);
    },
  },
  { what: "returns phones without a plus sign", open: phoneOpen, apply: phone((text) => text.slice(1)) },
  {
    what: "returns phones with parentheses",
    open: phoneOpen,
    apply: phone((text) => `(${text.slice(2, 5)}) ${text.slice(5, 8)}-${text.slice(8)}`),
  },
  {
    what: "returns phones with country code 001",
    open: phoneOpen,
    apply: phone((text) => `001 ${text.slice(2, 5)}.${text.slice(5, 8)}.${text.slice(8)}`),
  },
  {
    what: "returns a different phone",
    open: phoneOpen,
    stops: "The authorization of the seller ended as other_user.",
    apply: phone((text) => `${text.slice(0, -1)}${(Number(text.at(-1)) + 1) % 10}`),
  },
  { what: "returns phones as numbers", open: phoneOpen, apply: phone((text) => Number(text.slice(1))) },
  {
    what: "redirects its metadata URL to its pages, and sends no iss",
    open: errorsOpen,
    apply: together(noIssuer, ({ fake }) =>
      fake.answer(document, () => ({ status: 302, headers: { location: "/sign-in" } })),
    ),
  },
  { what: "sends no iss", open: pagesOpen, apply: noIssuer },
  {
    what: "has metadata that doesn't mention iss, and sends none",
    open: pagesOpen,
    apply: together(noIssuer, ({ fake }) => fake.answer(document, () => ({ status: 200, body: { issuer: fake.url } }))),
  },
  {
    what: "returns an HTML page instead of metadata, and sends no iss",
    open: pagesOpen,
    apply: together(noIssuer, ({ fake }) => fake.answer(document, () => html)),
  },
  {
    what: "returns 501 instead of metadata, and sends no iss",
    open: errorsOpen,
    apply: together(noIssuer, ({ fake }) => fake.answer(document, () => ({ status: 501 }))),
  },
  {
    what: "requires credentials for its metadata, and sends no iss",
    open: errorsOpen,
    apply: together(noIssuer, ({ fake }) => fake.answer(document, () => ({ status: 401 }))),
  },
  {
    what: "doesn't return state",
    open: pagesOpen,
    settings: () => ({ PARTNER_SERVICE_FEATURES: "pkce,revocation,replays" }),
    apply: noState,
  },
  {
    what: "doesn't return state, while the setting says it does",
    open: pagesOpen,
    stops: "The authorization of the business ended as missing_state.",
    apply: noState,
  },
  {
    what: "redirects back with extra parameters",
    open: pagesOpen,
    isHarmless: true,
    apply: ({ switches }) => {
      switches.editCallback = (query) => {
        query.set("session_state", "1");
        return query;
      };
    },
  },
  {
    what: "accepts only the published parameters",
    open: pagesOpen,
    settings: () => ({ PARTNER_SERVICE_FEATURES: "revocation,replays" }),
    apply: ({ switches }) => {
      const published = ["session_token", "user_intent_id", "client_id", "user_id", "redirect_uri", "response_type"];
      switches.checkVisit = (query) => {
        const unpublished = [...query.keys()].find((name) => !published.includes(name));
        if (unpublished) throw new Error(`The page refuses ${unpublished}.`);
      };
    },
  },
  {
    what: "mints session tokens with 201 and extra fields",
    open: errorsOpen,
    isHarmless: true,
    apply: always(mint, (answer) => ({ ...answer, status: 201, body: { ...(answer.body as object), ttl: 60 } })),
  },
  { what: "fails once to mint a session token", open: errorsOpen, apply: once(mint, () => ({ status: 503 })) },
  { what: "loses the response with a session token once", open: errorsOpen, apply: once(mint, () => "cut") },
  {
    what: "calls the customer endpoint without credentials",
    open: customersOpen,
    settings: () => ({ PARTNER_CUSTOMER_ENDPOINT_ADDRESSES: "192.0.2.0/28" }),
    apply: ({ switches }) => {
      switches.customerRequest = () => ({ authorization: null, address: "192.0.2.10" });
    },
  },
  {
    what: "calls the customer endpoint without credentials from an unlisted address",
    open: customersOpen,
    stops: "The authorization of the business ended as refused.",
    apply: ({ switches }) => {
      switches.customerRequest = () => ({ authorization: null, address: "192.0.2.10" });
    },
  },
  {
    what: "has a base URL with a path",
    open: addressOpen,
    settings: under("/bank/api"),
    apply: ({ fake }) => fake.setBasePath("/bank/api"),
  },
  { what: "has a base URL that ends with a slash", open: addressOpen, settings: under("/"), apply: () => {} },
];
