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
  switches.comeBack = (query) => {
    query.delete("iss");
    return query;
  };
};
const noState: Difference["apply"] = ({ switches }) => {
  switches.comeBack = (query) => {
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
    what: "tells no lifetime of a token",
    open: tokensOpen,
    isHarmless: true,
    apply: fields(exchange, { expires_in: undefined }),
  },
  {
    what: "tells no type of a token",
    open: tokensOpen,
    isHarmless: true,
    apply: fields(exchange, { token_type: undefined }),
  },
  { what: "writes the lifetime of a token as text", open: tokensOpen, apply: fields(exchange, { expires_in: "7200" }) },
  { what: "writes the lifetime of a token as null", open: tokensOpen, apply: fields(exchange, { expires_in: null }) },
  { what: "calls tokens bearer", open: tokensOpen, apply: fields(exchange, { token_type: "bearer" }) },
  {
    what: "issues tokens with a scope and more",
    open: "Scopes and permission levels of tokens: not shown.",
    isHarmless: true,
    apply: fields(exchange, { scope: "all", id_token: "a.b.c", created_at: 1 }),
  },
  { what: "issues tokens that live for five seconds", open: tokensOpen, apply: fields(exchange, { expires_in: 5 }) },
  {
    what: "issues tokens with 201",
    open: errorsOpen,
    apply: always(exchange, (answer) => (answer.status === 200 ? { ...answer, status: 201 } : answer)),
  },
  { what: "loses the answer to an exchange once", open: tokensOpen, apply: once(exchange, () => "cut") },
  {
    what: "answers an exchange with 500 once",
    open: errorsOpen,
    apply: once(exchange, () => ({ status: 500, text: "oops" })),
  },
  {
    what: "answers an exchange with 429 once",
    open: "Rate limits: not shown.",
    apply: once(exchange, () => ({ status: 429 })),
  },
  {
    what: "does not know a new token for the first request",
    open: errorsOpen,
    apply: once(user, () => ({ status: 401 })),
  },
  {
    what: "says 403 of a token that has expired",
    open: errorsOpen,
    apply: nth(2, "GET /v1/accounts", () => ({ status: 403, body: { error: "token_expired" } })),
  },
  {
    what: "says 401 in a body of its own of a token that has expired",
    open: errorsOpen,
    apply: nth(2, "GET /v1/accounts", () => ({ status: 401, text: "expired" })),
  },
  {
    what: "says in a plain sentence, with 403, that a token has expired",
    open: errorsOpen,
    apply: nth(2, "GET /v1/accounts", () => ({ status: 403, text: "That token has expired." })),
  },
  {
    what: "takes forms alone where tokens are had",
    open: tokensOpen,
    apply: ({ switches }) => {
      switches.isTokenForm = true;
    },
  },
  {
    what: "knows a new token only 300 ms later",
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
    what: "answers an exchange after four seconds",
    open: "Rate limits: not shown.",
    apply: once(exchange, (answer) => seconds(4).then(() => answer)),
  },
  {
    what: "mints a session token after four seconds",
    open: "Rate limits: not shown.",
    apply: once(mint, (answer) => seconds(4).then(() => answer)),
  },
  { what: "fails to read a user once", open: errorsOpen, apply: once(user, () => ({ status: 500 })) },
  {
    what: "calls a seller a business",
    open: wordsOpen,
    stops: "The authorization of the seller ended as other_user.",
    apply: fields(user, { user_type: "Business" }),
  },
  {
    what: "suspends sellers",
    open: wordsOpen,
    stops: "The seller cannot be chosen.",
    apply: fields(user, { status: "suspended" }),
  },
  {
    what: "calls users individuals",
    open: wordsOpen,
    apply: body(user, (record) => ({
      ...record,
      user_type: record["user_type"] === "personal" ? "individual" : "company",
    })),
  },
  { what: "knows users who are monitored", open: wordsOpen, apply: fields(user, { status: "monitored" }) },
  {
    what: "knows another word for verified",
    open: wordsOpen,
    isHarmless: true,
    apply: fields(user, { kyc_type: "passed" }),
  },
  { what: "reads a user with null metadata", open: wordsOpen, apply: fields(user, { metadata: null }) },
  { what: "reads a user with numbers in metadata", open: wordsOpen, apply: fields(user, { metadata: { tier: 3 } }) },
  {
    what: "reads a user with null reasons",
    open: wordsOpen,
    isHarmless: true,
    apply: fields(user, { rejection_reasons: null }),
  },
  { what: "reads a user's reasons as texts", open: wordsOpen, apply: fields(user, { rejection_reasons: ["none"] }) },
  { what: "reads a user with receive_only as text", open: wordsOpen, apply: fields(user, { receive_only: "false" }) },
  {
    what: "reads a user with further fields",
    open: compatibilityOpen,
    isHarmless: true,
    apply: fields(user, { created_at: 1, address: { city: "Boston" } }),
  },
  {
    what: "has ids of users that are no UUIDs",
    open: compatibilityOpen,
    apply: ({ switches }) => {
      switches.idOf = (id) => (id === partner().config.businessUserId ? id : `usr_${id}`);
    },
  },
  { what: "writes a phone without a plus", open: phoneOpen, apply: phone((text) => text.slice(1)) },
  {
    what: "writes a phone with brackets",
    open: phoneOpen,
    apply: phone((text) => `(${text.slice(2, 5)}) ${text.slice(5, 8)}-${text.slice(8)}`),
  },
  {
    what: "writes a phone with a country code of its own style",
    open: phoneOpen,
    apply: phone((text) => `001 ${text.slice(2, 5)}.${text.slice(5, 8)}.${text.slice(8)}`),
  },
  {
    what: "tells another phone",
    open: phoneOpen,
    stops: "The authorization of the seller ended as other_user.",
    apply: phone((text) => `${text.slice(0, -1)}${(Number(text.at(-1)) + 1) % 10}`),
  },
  { what: "writes a phone as a number", open: phoneOpen, apply: phone((text) => Number(text.slice(1))) },
  {
    what: "leads to its pages where the document would be, and sends no iss",
    open: errorsOpen,
    apply: together(noIssuer, ({ fake }) =>
      fake.answer(document, () => ({ status: 302, headers: { location: "/sign-in" } })),
    ),
  },
  { what: "does not say who sends the browser back", open: pagesOpen, apply: noIssuer },
  {
    what: "has a document that does not mention iss, and sends none",
    open: pagesOpen,
    apply: together(noIssuer, ({ fake }) => fake.answer(document, () => ({ status: 200, body: { issuer: fake.url } }))),
  },
  {
    what: "answers a page of HTML where the document would be, and sends no iss",
    open: pagesOpen,
    apply: together(noIssuer, ({ fake }) => fake.answer(document, () => html)),
  },
  {
    what: "refuses the document without a credential, and sends no iss",
    open: errorsOpen,
    apply: together(noIssuer, ({ fake }) => fake.answer(document, () => ({ status: 401 }))),
  },
  {
    what: "does not bring state back",
    open: pagesOpen,
    settings: () => ({ PARTNER_SERVICE_FEATURES: "pkce,revocation,replays" }),
    apply: noState,
  },
  {
    what: "does not return state, without the setting for it",
    open: pagesOpen,
    stops: "The authorization of the business ended as missing_state.",
    apply: noState,
  },
  {
    what: "comes back with further parameters",
    open: pagesOpen,
    isHarmless: true,
    apply: ({ switches }) => {
      switches.comeBack = (query) => {
        query.set("session_state", "1");
        return query;
      };
    },
  },
  {
    what: "takes no other parameters than the published ones",
    open: pagesOpen,
    settings: () => ({ PARTNER_SERVICE_FEATURES: "revocation,replays" }),
    apply: ({ switches }) => {
      const published = ["session_token", "user_intent_id", "client_id", "user_id", "redirect_uri", "response_type"];
      switches.checkVisit = (query) => {
        const further = [...query.keys()].find((name) => !published.includes(name));
        if (further) throw new Error(`The page refuses ${further}.`);
      };
    },
  },
  {
    what: "mints session tokens with 201 and more fields",
    open: errorsOpen,
    isHarmless: true,
    apply: always(mint, (answer) => ({ ...answer, status: 201, body: { ...(answer.body as object), ttl: 60 } })),
  },
  { what: "fails to mint once", open: errorsOpen, apply: once(mint, () => ({ status: 503 })) },
  { what: "loses the answer to a minted token once", open: errorsOpen, apply: once(mint, () => "cut") },
  {
    what: "calls the customer endpoint without a credential",
    open: customersOpen,
    settings: () => ({ PARTNER_CUSTOMER_ENDPOINT_ADDRESSES: "192.0.2.0/28" }),
    apply: ({ switches }) => {
      switches.customerRequest = () => ({ authorization: null, address: "192.0.2.10" });
    },
  },
  {
    what: "calls the customer endpoint without a credential, and its address is not set",
    open: customersOpen,
    stops: "The authorization of the business ended as refused.",
    apply: ({ switches }) => {
      switches.customerRequest = () => ({ authorization: null, address: "192.0.2.10" });
    },
  },
  {
    what: "is at an address with a path",
    open: addressOpen,
    settings: under("/bank/api"),
    apply: ({ fake }) => fake.setBasePath("/bank/api"),
  },
  { what: "is at an address that ends with a slash", open: addressOpen, settings: under("/"), apply: () => {} },
];
