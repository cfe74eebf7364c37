import { createHmac, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type BareRules, publishedRules } from "./bare-rules.ts";

// A second, in-memory implementation of docs/spec/interface.md. Wherever that page says "not shown", it differs from our
// service: ids, errors, response shapes, routine paths and fields, token lengths and formats, parameters, webhook signatures,
// and status names. Only the sandbox calls are ours, because most clauses need them.

type Body = Record<string, unknown>;
type Reply = { status: number; body?: unknown; page?: string; location?: string };
type Client = {
  id: string;
  secret: string;
  ahead: number;
  isEnabled: boolean;
  redirectUris: string[];
  customersUrl: string;
  webhookUrl: string;
  webhookSecret: string;
  businessUserId: string;
};
type User = {
  id: string;
  client: Client;
  fields: Body;
  status: string;
  type: string;
  intentId: string;
  hasAuthorized?: boolean;
};
type Grant = { user: User; client: Client; until: number; isSpent: boolean; isSuperseded: boolean };
type Session = { client: Client; user: User; byIntent: boolean; until: number; isSpent: boolean; isTrusted: boolean };
type Routine = {
  id: string;
  transferId: string;
  user: User;
  to: string;
  title: string;
  usd: number;
  status: string;
};

/** The operator's view: pending intents, payments, and refreshes. */
export type Books = {
  intents: { id: string; email: unknown; status: string }[];
  payments: { transferId: string; usd: number; status: string }[];
  refreshes: number;
};

/** The service's own choices where the interface leaves something open. */
export type BareHabits = {
  writesPage: (form: { code: string; to: string }) => string;
  needsTick: boolean;
  returnsByScript: boolean;
  announcesMore: boolean;
  listsAccounts: (id: string) => unknown;
  readsIntents: boolean;
  /** Refuses with this status to mint a token for an untrusted customer. */
  untrustedStatus: number | undefined;
  /** Decides by first name, and settles at once. */
  actsByItself: boolean;
  answersControl: (status: string) => unknown;
};

const usualHabits: BareHabits = {
  writesPage: ({ code, to }) =>
    `<form method="post" action="/go">${hidden("code", code)}${hidden("to", to)}<input type="submit" value="Authorize"></form>`,
  needsTick: false,
  returnsByScript: false,
  announcesMore: false,
  listsAccounts: (id) => [{ instrument_id: id }],
  readsIntents: true,
  untrustedStatus: undefined,
  actsByItself: false,
  answersControl: (status) => ({ decided: { status } }),
};

/** A running service with the settings for a client. */
export type BareService = {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  settings: {
    bookPath: string;
    bookFields: [string, string, string, string];
    idempotencyHeader: string;
    accountsPath: string;
  };
  /** Other data that the operator provides. */
  webhooks: { header: string; secret: string };
  business: { userId: string; phone: string };
  books: () => Books;
  stop: () => Promise<void>;
};

const bookPath = "/v1/book_transfers";
const accountsPath = "/v1/payment_instruments";
const keyHeader = "x-request-key";
const signatureHeader = "x-digest";
const businessPhone = "+12025550100";
const pageParameters = ["session_token", "user_intent_id", "client_id", "user_id", "redirect_uri", "response_type"];
/** The service's names for our sandbox's terms. */
const ends: Record<string, string> = { processed: "credited", failed: "sent home", cancelled: "called off" };
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

/**
 * Starts a bare service on a free port. `broken` replaces published rules, `hasSandbox: false` removes the sandbox, and
 * `tells` receives each token, code, secret, and personal number.
 */
export async function startBareService({
  broken = {},
  habits: ownHabits = {},
  hasSandbox = true,
  onSecret = () => undefined,
}: {
  broken?: Partial<BareRules>;
  habits?: Partial<BareHabits>;
  hasSandbox?: boolean;
  onSecret?: (secret: string) => void;
} = {}): Promise<BareService> {
  const rules: BareRules = { ...publishedRules, ...broken };
  const habits: BareHabits = { ...usualHabits, ...ownHabits };
  const clients = new Map<string, Client>();
  const users = new Map<string, User>();
  const intents = new Map<string, User>();
  const sessions = new Map<string, Session>();
  const codes = new Map<string, Grant>();
  const accessTokens = new Map<string, Grant>();
  const refreshTokens = new Map<string, Grant>();
  const routines: Routine[] = [];
  let refreshes = 0;
  const first = addClient();

  function secretly(secret: string): string {
    onSecret(secret);
    return secret;
  }

  function addClient(): Client {
    const client: Client = {
      ...{ id: short("app"), secret: secretly(short("pw")), ahead: 0, isEnabled: true, redirectUris: [] },
      ...{ customersUrl: "", webhookUrl: "", webhookSecret: secretly(short("hook")), businessUserId: short("u") },
    };
    clients.set(client.id, client);
    const fields = { first_name: "Harbor", last_name: "Ltd", email: "office@harbor.example", phone: businessPhone };
    const user = { id: client.businessUserId, client, fields, status: "approved", type: "business", intentId: "" };
    users.set(user.id, user);
    return client;
  }

  const now = (client: Client) => Date.now() / 1000 + client.ahead;

  function clientOf(headers: IncomingMessage["headers"]): Client {
    const pair = Buffer.from(headers.authorization?.replace("Basic ", "") ?? "", "base64").toString();
    const [id = "", secret = ""] = pair.split(":").map(decodeURIComponent);
    const client = clients.get(id);
    if (client && client.secret === secret) return client;
    if (!rules.clientNeedsSecret) return first;
    throw new Refusal(403, "Who are you?");
  }

  function userOf(headers: IncomingMessage["headers"]): User {
    const grant = accessTokens.get(headers.authorization?.replace("Bearer ", "") ?? "");
    if (grant && now(grant.client) >= grant.until) throw new Refusal(rules.expiredTokenStatus, "token expired");
    if (grant && !grant.isSuperseded) return grant.user;
    throw new Refusal(403, "No such token.");
  }

  function issue(user: User, client: Client, refreshToken?: string): Reply {
    user.hasAuthorized = true;
    for (const [token, grant] of accessTokens) {
      if (grant.user !== user) continue;
      const isKept = refreshToken ? rules.refreshKeepsAccessToken : !rules.trustedExchangeIssuesNewPair;
      if (isKept) return pair(token, refreshToken ?? short("r"));
      if (rules.newTokenReplacesOld) grant.isSuperseded = true;
    }
    const [access, refresh] = [secretly(randomBytes(6).toString("hex")), secretly(randomBytes(9).toString("hex"))];
    const grant = { user, client, isSpent: false, isSuperseded: false };
    accessTokens.set(access, { ...grant, until: now(client) + rules.accessTokenSeconds });
    refreshTokens.set(refresh, { ...grant, until: now(client) + rules.refreshTokenSeconds });
    return pair(access, refreshToken && !rules.refreshRotatesRefreshToken ? refreshToken : refresh);
  }

  function pair(access: string, refresh: string): Reply {
    const tokens = { access_token: access, ...(rules.returnsRefreshToken && { refresh_token: refresh }) };
    return { status: 202, body: { grant: tokens } };
  }

  function redeem(grants: Map<string, Grant>, token: unknown, client: Client, isUsedOnce: boolean): Grant {
    const grant = grants.get(String(token));
    const isDead = !grant || grant.client !== client || now(client) >= grant.until || (grant.isSpent && isUsedOnce);
    if (isDead) throw new Refusal(422, "That cannot be redeemed.");
    grant.isSpent = true;
    return grant;
  }

  async function announce(client: Client, what: string, fields: Body, status: string): Promise<void> {
    if (!client.webhookUrl || !rules.announces(what, status)) return;
    if (habits.announcesMore) await send(client, { ...fields, webhook_type: "record_opened", webhook_id: short("w") });
    await send(client, fields);
  }

  async function send(client: Client, fields: Body): Promise<void> {
    const body = JSON.stringify(rules.changesWebhook(fields));
    const digest = createHmac("sha256", client.webhookSecret).update(body).digest("hex");
    const headers = { [signatureHeader]: `sha256=${digest}` };
    await fetch(client.webhookUrl, { method: "POST", body, headers }).catch(() => undefined);
  }

  function announcePerson(type: string, user: User, resourceId: string, status: string): void {
    const { metadata } = user.fields;
    const fields = { webhook_type: type, webhook_id: short("w"), user_id: user.id, resource_id: resourceId };
    void announce(user.client, type, { ...fields, ...(metadata !== undefined && { metadata }) }, status);
  }

  async function verify(client: Client, body: Body): Promise<Reply> {
    const { provider_data: data, user_id: userId, user_intent_id: intentId } = body;
    const isBoth = userId !== undefined && intentId !== undefined && !rules.takesBothIds;
    if (!client.isEnabled && rules.needsEnabledClient) throw new Refusal(451, "Ask your operator.");
    const user = rules.takesUserIntentId ? intents.get(String(intentId)) : undefined;
    const chosen = user ?? (rules.takesUserId ? users.get(String(userId)) : undefined);
    if (!chosen || isBoth || chosen.client !== client) throw new Refusal(422, "Name one person.");
    const customerId = rules.customerToRequest((data as { customer_id: string }).customer_id);
    const lookup = fetch(`${client.customersUrl}${rules.customersPath}${customerId}`);
    const answer = await lookup.catch(() => undefined);
    const customer: Body = answer?.ok ? ((await answer.json()) as Body) : {};
    const at = Date.parse(String(customer["lastAuthenticationTime"])) / 1000;
    const isRecent = at > now(client) - rules.trustedSeconds || (Number.isNaN(at) && !rules.needsLastAuthentication);
    const hasPhone =
      customer["phone"] === chosen.fields["phone"] || !rules.needsPhoneToMatch || chosen.type === "business";
    if (rules.customersPath !== "/v1/customers/" || customerId !== (data as Body)["customer_id"])
      customer["customer_id"] = "";
    const isKnown = customer["customer_id"] !== undefined;
    const token = secretly(randomBytes(5).toString("hex"));
    const isTrusted = isKnown && isRecent && hasPhone && !rules.neverTrusts;
    if (!isTrusted && habits.untrustedStatus)
      throw new Refusal(habits.untrustedStatus, "We can't trust this customer.");
    const until = now(client) + rules.sessionTokenSeconds;
    sessions.set(token, { client, user: chosen, byIntent: intentId !== undefined, until, isSpent: false, isTrusted });
    return { status: 203, body: { [rules.mintsToken]: token } };
  }

  function showPage(query: URLSearchParams): Reply {
    const unknown = [...query.keys()].find((name) => !pageParameters.includes(name));
    if (unknown) throw new Refusal(406, `We do not know ${unknown}.`);
    const session = sessions.get(query.get("session_token") ?? "") ?? lenientSession(query);
    const mustName = (name: string) => rules.pageNeeds.includes(name) && !query.get(name);
    const isUnnamed = mustName("client_id") || (session?.byIntent && mustName("user_intent_id"));
    const isRefusedParameter =
      (!rules.takesUserIdAtPage && query.has("user_id")) || (!rules.takesResponseType && query.has("response_type"));
    if (!session || isUnnamed || isRefusedParameter) throw new Refusal(406, "This address is not complete.");
    const isDead = now(session.client) >= session.until || (session.isSpent && rules.sessionTokenIsSingleUse);
    if (isDead) throw new Refusal(410, "This address was used.");
    session.isSpent = true;
    const redirectUri = query.get("redirect_uri") ?? "";
    if (!session.client.redirectUris.includes(redirectUri)) throw new Refusal(406, "Not your address.");
    if (!session.isTrusted)
      return { status: 200, page: "<form method='post' action='/word'><input name='word'><button>Say</button></form>" };
    const code = secretly(randomBytes(4).toString("hex"));
    const until = now(session.client) + rules.codeSeconds;
    codes.set(code, { user: session.user, client: session.client, until, isSpent: false, isSuperseded: false });
    return { status: 200, page: habits.writesPage({ code: rules.returnsCode ? code : "", to: redirectUri }) };
  }

  function lenientSession(query: URLSearchParams): Session | undefined {
    const user = intents.get(query.get("user_intent_id") ?? "");
    if (rules.pageNeeds.includes("session_token") || !user) return undefined;
    return {
      client: user.client,
      user,
      byIntent: true,
      until: Number.POSITIVE_INFINITY,
      isSpent: false,
      isTrusted: true,
    };
  }

  function createIntent(client: Client, body: Body): Reply {
    const { metadata, ...fields } = body;
    onSecret(String(fields["ssn"] ?? "no ssn was sent"));
    const required = ["first_name", "last_name", "date_of_birth", "ssn", "phone", "email"];
    if (
      !rules.createsIntents ||
      required.some((name) => typeof fields[name] !== "string" && name !== rules.unknownField)
    ) {
      throw new Refusal(422, "Something is missing.");
    }
    if (rules.unknownField in fields || (metadata === undefined && rules.needsMetadata)) throw new Refusal(422, "No.");
    if (metadata !== undefined && !isMetadata(metadata)) throw new Refusal(422, "This isn't metadata.");
    const intentId = short("i");
    const user: User = { id: short("u"), client, fields: body, status: "looking", type: "personal", intentId };
    intents.set(intentId, user);
    users.set(user.id, user);
    if (habits.actsByItself) setTimeout(() => decideByName(user), 5);
    return { status: 200, body: { created: { user_intent_id: intentId } } };
  }

  function decideByName(user: User): void {
    const status = { Amelia: "approved", Rufus: "rejected" }[String(user.fields["first_name"])];
    if (status) decide(user, { kind: "user_intents", id: user.intentId, status });
  }

  function isMetadata(metadata: unknown): boolean {
    if (rules.refusesMetadata || typeof metadata !== "object" || metadata === null) return false;
    const entries = Object.entries(metadata);
    const values = entries.map(([, value]) => value);
    const isWithin = (text: string, least: number, most: number) => text.length >= least && text.length <= most;
    return (
      entries.length <= rules.pairsMax &&
      (rules.takesEqualValues || new Set(values).size === values.length) &&
      entries.every(
        ([key, value]) =>
          rules.keyCharacters.test(key) &&
          isWithin(key, rules.keyCharactersMin, rules.keyCharactersMax) &&
          (typeof value === "string" || rules.takesNonStringValues) &&
          (typeof value !== "string" || isWithin(value, rules.valueCharactersMin, rules.valueCharactersMax)) &&
          (rules.takesUuidValues || !uuid.test(String(value))),
      )
    );
  }

  function showUser(user: User): Reply {
    const { first_name, last_name, email, phone, metadata } = user.fields;
    const written = String(phone).replace(/^\+1(\d{3})(\d{3})(\d{4})$/, "1-$1-$2-$3");
    const shown = { id: user.id, first_name, last_name, email, phone: written, metadata: metadata ?? {} };
    const record = {
      ...shown,
      kyc_type: "level 2",
      receive_only: false,
      rejection_reasons: [],
      status: user.status,
      user_type: user.type,
    };
    const body = rules.changesUser(record);
    return rules.userFormat === "json"
      ? { status: 200, body }
      : { status: 200, page: JSON.stringify(body).replace("{", "user {") };
  }

  function book(user: User, body: Body, headers: IncomingMessage["headers"]): Reply {
    const key = headers[keyHeader];
    const isWrongKey = key !== undefined && !uuid.test(String(key)) && !rules.takesAnyIdempotencyKey;
    if (isWrongKey || (key === undefined && rules.needsIdempotencyKey)) throw new Refusal(417, "That isn't a key.");
    const { title, usd, from, to } = body;
    const isOwnMoney = rules.sellersCanPay && from === `acc-${user.id}` && receivedBy(user) >= Number(usd);
    if (user.type !== "business" && rules.needsBusinessUser && !isOwnMoney)
      throw new Refusal(402, "Only a business pays.");
    const isMissing = rules.routineNeeds.some((name) => body[name] === undefined);
    const isAmount =
      usd === undefined ||
      (typeof usd === "number" && usd > 0 && usd < 10_000 && (rules.takesCents || Number.isInteger(usd)));
    const hasAccounts = [from, to].every((id) => id === undefined || users.has(String(id).slice(4)));
    const routine = {
      id: short("b"),
      transferId: short("t"),
      user,
      to: String(to),
      title: String(title),
      usd: Number(usd),
      status: "on its way",
    };
    const isRefused = isMissing || !isAmount || !hasAccounts || !rules.createsRoutines;
    if (!isRefused || rules.keepsRefusedRoutines) routines.push(routine);
    if (isRefused) throw new Refusal(422, "That cannot be paid.");
    if (habits.actsByItself) setTimeout(() => finish(routine, user.client, "processed"), 5);
    return {
      status: 200,
      body: { made: { id: routine.id, ...(rules.returnsTransferId && { transfer_id: routine.transferId }) } },
    };
  }

  function receivedBy(user: User): number {
    const received = routines.filter(({ to, status }) => to === `acc-${user.id}` && status.startsWith("credited"));
    return received.reduce((sum, { usd }) => sum + usd, 0);
  }

  function read(user: User, id: string, isTransfer: boolean): Reply {
    const isLenient = isTransfer ? rules.readsAnyTransfer : rules.readsAnyRoutine;
    const found = isLenient
      ? routines[0]
      : routines.find((one) => (isTransfer ? one.transferId : one.id) === id && one.user === user);
    if (!found) throw new Refusal(410, "There is none.");
    if (!isTransfer) return { status: 200, body: { routine: [found.id, found.title] } };
    return { status: 200, body: { movement: { transfer_id: found.transferId, state: found.status } } };
  }

  function decide(user: User, { kind, id, status }: { kind: string; id: string; status: string }): void {
    user.status = rules.outcomes[status] ?? status;
    const isOfUser = kind === "users" || (user.hasAuthorized && !rules.announcesLateDecisions);
    announcePerson(isOfUser ? "user_updated" : "user_intent_updated", user, id, status);
  }

  function finish(routine: Routine, client: Client, status: string): void {
    routine.status = ends[status] ?? status;
    void announce(client, "routine", { kind: "routine.done", about: routine.id }, status);
    void announce(client, "transfer", { kind: "transfer.done", about: routine.transferId }, status);
  }

  function control(client: Client, method: string, path: string, body: Body): Reply {
    const [, kind = "", id = ""] = /^\/sandbox\/(user_intents|users|transfers)\/([^/]+)\/status$/.exec(path) ?? [];
    const status = String(body["status"]);
    if (method === "POST" && path === "/sandbox/clients") {
      const client = addClient();
      return {
        status: 200,
        body: {
          client_id: client.id,
          client_secret: client.secret,
          provider: "any",
          business_user_id: client.businessUserId,
          business_user_phone: businessPhone,
        },
      };
    }
    if (path === "/sandbox/client") {
      if (body["redirect_uris"]) client.redirectUris = body["redirect_uris"] as string[];
      if (body["customers_url"]) client.customersUrl = String(body["customers_url"]);
      if (body["trusted_authentication"] !== undefined) client.isEnabled = Boolean(body["trusted_authentication"]);
    } else if (path === "/sandbox/webhook_endpoint") {
      client.webhookUrl = String(body["url"]);
    } else if (path === "/sandbox/clock/advance") {
      client.ahead += Number(body["seconds"]);
    } else if (kind === "transfers") {
      const routine = routines.find(({ transferId }) => transferId === id);
      if (!routine) throw new Refusal(410, "There is none.");
      finish(routine, client, status);
    } else {
      const user = kind === "users" ? users.get(id) : intents.get(id);
      if (!user) throw new Refusal(410, "There is none.");
      decide(user, { kind, id, status });
      return { status: 200, body: habits.answersControl(user.status) };
    }
    return { status: 200, body: {} };
  }

  async function answer(request: IncomingMessage, url: URL, text: string): Promise<Reply> {
    const { method = "", headers } = request;
    const path = url.pathname;
    const route = `${method} ${path}`;
    if (path === "/login/oauth/authorize") return showPage(url.searchParams);
    if (route === "POST /go") {
      const form = new URLSearchParams(text);
      const code = form.get("code");
      if (form.has("news") || (habits.needsTick && form.get("terms") !== "on")) throw new Refusal(406, "Tick the box.");
      if (habits.returnsByScript) return { status: 200, page: "<script>location = 'app:'</script>" };
      return { status: 302, location: `${rules.returnsTo(form.get("to") ?? "")}${code ? `?code=${code}` : ""}` };
    }
    const isForm = headers["content-type"] === "application/x-www-form-urlencoded";
    const body = isForm ? Object.fromEntries(new URLSearchParams(text)) : parse(text);
    if (hasSandbox && path.startsWith("/sandbox/")) return control(clientOf(headers), method, path, body);
    if (route === "POST /v1/user_intent") return createIntent(clientOf(headers), body);
    if (route === "POST /v1/partner/identity/verification") return verify(clientOf(headers), body);
    if (route === "POST /v1/oauth/token") {
      const client = clientOf(headers);
      if (!isForm) throw new Refusal(415, "Send a form.");
      const isRefresh = body["refresh_token"] !== undefined;
      if (isRefresh ? !rules.refreshes : !rules.exchangesCodes) throw new Refusal(422, "Not now.");
      const grant = isRefresh
        ? redeem(refreshTokens, body["refresh_token"], client, !rules.refreshTokenIsReusable)
        : redeem(codes, body["code"], client, rules.codeIsSingleUse);
      if (isRefresh) refreshes += 1;
      return issue(grant.user, client, isRefresh ? String(body["refresh_token"]) : undefined);
    }
    if (route === "GET /v1/user") {
      const isKnown = accessTokens.has(headers.authorization?.replace("Bearer ", "") ?? "");
      const user = isKnown || rules.userNeedsToken ? userOf(headers) : ([...users.values()][0] as User);
      return showUser(rules.readsOneUser ? ([...intents.values()][0] ?? user) : user);
    }
    if (route === `GET ${accountsPath}`) {
      if (!rules.returnsAccounts) throw new Refusal(403, "These are not yours.");
      return { status: 200, body: habits.listsAccounts(`acc-${userOf(headers).id}`) };
    }
    const [, intentId = ""] = /^GET \/v1\/user_intent\/(.+)$/.exec(route) ?? [];
    const intent = habits.readsIntents && intents.get(intentId);
    if (intent) return { status: 200, body: { intent: { status: intent.status } } };
    if (route === `POST ${bookPath}`) {
      const token = headers.authorization?.replace("Bearer ", "") ?? "";
      const isStranger = !rules.routineNeedsToken && !accessTokens.has(token);
      const business = [...users.values()].find(({ type }) => type === "business") as User;
      return book(isStranger ? business : userOf(headers), body, headers);
    }
    if (route === "GET /v1/routines") {
      const user = userOf(headers);
      const userRoutines = routines.filter((one) => one.user === user);
      // As if they had settled between two reads.
      for (const routine of userRoutines) routine.status += ", seen";
      return {
        status: 200,
        body: { page: { items: userRoutines.map(({ id, title, status }) => [id, title, status]) } },
      };
    }
    const [, kind, id] = /^\/v1\/(routines|transfers)\/([^/]+)$/.exec(path) ?? [];
    if (method === "GET" && kind && id) return read(userOf(headers), id, kind === "transfers");
    throw new Refusal(418, "There is nothing here.");
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const url = new URL(request.url ?? "", "http://bare.example");
    const reply = await answer(request, url, Buffer.concat(chunks).toString()).catch((error: unknown) => {
      if (error instanceof Refusal) return { status: error.status, page: error.message };
      throw error;
    });
    const { status, body, page, location }: Reply = reply;
    const type = body === undefined ? "text/html" : "application/json";
    response.writeHead(status, { "content-type": type, ...(location && { location }) });
    response.end(body === undefined ? page : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clientId: first.id,
    clientSecret: first.secret,
    settings: { bookPath, bookFields: ["title", "usd", "from", "to"], idempotencyHeader: keyHeader, accountsPath },
    webhooks: { header: signatureHeader, secret: first.webhookSecret },
    business: { userId: first.businessUserId, phone: businessPhone },
    books: () => ({
      intents: [...intents].map(([id, { fields, status }]) => ({ id, email: fields["email"], status })),
      payments: routines.map(({ transferId, usd, status }) => ({ transferId, usd, status })),
      refreshes,
    }),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function parse(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return {};
  }
}

function hidden(name: string, value: string): string {
  return value && `<input type="hidden" name="${name}" value="${value}">`;
}

function short(prefix: string): string {
  return `${prefix}${randomBytes(4).toString("hex")}`;
}
