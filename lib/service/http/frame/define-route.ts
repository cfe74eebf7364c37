import type * as z from "zod/mini";
import type { ErrorReason, OAuthReason } from "../../../contract/errors.ts";
import { type Tracing, tracing } from "../../../kit/spans.ts";
import type { IdempotencyKey } from "../../domain/idempotency.ts";
import { findReplay, fingerprintOf } from "../../operations/idempotency.ts";
import type { ClientCaller, UserCaller } from "../../operations/tokens/authenticate.ts";
import {
  answerRequest,
  type Reply,
  type RequestFacts,
  type RequestHook,
  type RequestTrail,
  replyCreated,
  settle,
} from "./answer-request.ts";
import { requireClient, requireOAuthClient, requireOperator, requireUser } from "./authenticate.ts";
import { requireClientWithinRate } from "./rate-limits.ts";
import { readBody, readIdempotencyKey, readQuery, requireAcceptsJson, requireValid } from "./read-request.ts";
import { type Refusal, refuse, ServiceError } from "./refusal.ts";

/** The type of a caller, by the route's `who`. */
export type Callers = { client: ClientCaller; user: UserCaller; operator: undefined; anyone: undefined };

/** A request whose caller is known and whose parts are valid. */
export type RouteRequest<Who extends keyof Callers, Body, Query, Params> = RequestTrail & {
  caller: Callers[Who];
  body: Body;
  query: Query;
  params: Params;
  /** The idempotency key with its scope; always undefined unless the route has a `replay`. */
  idempotency: IdempotencyKey | undefined;
  /** The key that the request is about; always undefined unless the route says `isAboutKey`. */
  key: string | undefined;
  /** The `last-event-id` header; always undefined unless the route is a stream. */
  lastEventId: string | undefined;
};

type Schema = z.ZodMiniType;
type None = z.ZodMiniType<undefined>;

/** One operation of the API, as its file declares it. */
export type RouteDefinition<
  Who extends keyof Callers,
  Body extends Schema,
  Query extends Schema,
  Params extends Schema,
> = {
  /** The operation's name in logs, in the OpenAPI document and in the scope of idempotency keys. */
  operation: string;
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  who: Who;
  /** Refuses a caller who may not do this at all. Without a `replay` it runs before the body is read. */
  permit?: (caller: Callers[Who]) => Refusal | undefined;
  body?: Body;
  /** Without a schema the query is ignored; with one, a repeated parameter is refused. */
  query?: Query;
  /** A parameter that does not fit is not_found, like an id that does not exist. */
  params?: Params;
  /**
   * For a route that takes an idempotency key: the original response body for this resource. A refusal claims that
   * nothing was created, so it is only given when the key has no resource. Decision D13
   */
  replay?: (resourceId: string) => Promise<unknown>;
  /** The Idempotency-Key header names the subject of the request instead of making the request idempotent. */
  isAboutKey?: boolean;
  /** The token and revocation endpoints: forms as well as JSON, refusals as RFC 6749 writes them. */
  isOAuth?: boolean;
  /** Answers with server-sent events instead of JSON, whatever the accept header says. */
  isStream?: boolean;
  /** What the OpenAPI document adds to this definition. */
  documentation: RouteDocumentation;
  handle: (
    request: RouteRequest<Who, z.output<Body>, z.output<Query>, z.output<Params>>,
  ) => Promise<Reply | Refusal> | Reply | Refusal;
};

/** A route, ready for the app: it always answers. */
export type Route = DocumentedRoute & {
  answer: (request: Request, params: Record<string, string>, hook?: RequestHook) => Promise<Response>;
};

/**
 * Every route runs in the same order: who? -> may they? -> what? -> do it. An OAuth endpoint reads the body first when no
 * header names the client. A route with a `replay` asks "may they?" after "what?", so that a caller who lost a permission
 * still gets the original answer.
 */
export function defineRoute<
  Who extends keyof Callers,
  Body extends Schema = None,
  Query extends Schema = None,
  Params extends Schema = None,
>(definition: RouteDefinition<Who, Body, Query, Params>): Route {
  const { operation, method, path, who, permit, replay, isAboutKey = false, isOAuth = false, handle } = definition;

  function answer(request: Request, pathParams: Record<string, string>, hook?: RequestHook): Promise<Response> {
    return answerRequest(request, { operation, isOAuth, hook }, async (trail, facts) => {
      const caller = await requireCaller(definition, request, facts);
      trail.clientId = clientIdOf(caller);
      if (caller && "user" in caller) facts.userId = caller.user.id;
      const proceed = () => serve(request, pathParams, { caller, trail, facts });
      if (!hook?.around || !trail.clientId || !isIntercepted(caller)) return proceed();
      const call = { operation, clientId: trail.clientId, who: who === "user" ? "user" : "client" } as const;
      return hook.around(call, () => settle(trail, proceed));
    });
  }

  async function serve(
    request: Request,
    pathParams: Record<string, string>,
    { caller, trail, facts }: { caller: Callers[Who]; trail: RequestTrail; facts: RequestFacts },
  ): Promise<Reply | Refusal> {
    if (!replay) {
      await requireAdmission(caller, trail);
      const what = await readWhat(request, pathParams, facts);
      const key = isAboutKey ? readIdempotencyKey(request.headers) : undefined;
      return work({ ...validated(caller, { ...what, key }, facts.body), ...trail });
    }
    const what = await readWhat(request, pathParams, facts);
    const idempotency = readIdempotency(request.headers, { operation, caller, body: facts.body });
    return unlessReplayed(idempotency, replay, async () => {
      await requireAdmission(caller, trail);
      return work({ ...validated(caller, { ...what, idempotency }, facts.body), ...trail });
    });
  }

  type Asked = Parameters<typeof handle>[0];
  const workSpan = { name: `${operation} work` };

  // A span of its own, apart from authentication and parsing.
  function work(asked: Asked): ReturnType<typeof handle> {
    const spans = tracing();
    return spans ? workTraced(spans, asked) : handle(asked);
  }

  async function workTraced(spans: Tracing, asked: Asked): Promise<Reply | Refusal> {
    const outcome = await spans.run(workSpan, async () => {
      try {
        return await handle(asked);
      } catch (error) {
        // A refusal is an answer, not a failure.
        if (error instanceof ServiceError) return error;
        throw error;
      }
    });
    if (outcome instanceof ServiceError) throw outcome;
    return outcome;
  }

  async function requireAdmission(caller: Callers[Who], { clientId }: RequestTrail): Promise<void> {
    if (clientId) await requireClientWithinRate(clientId, { isOAuth });
    const refusal = permit?.(caller);
    if (refusal) throw new ServiceError(refusal);
  }

  async function readWhat(request: Request, pathParams: Record<string, string>, facts: RequestFacts) {
    if (!definition.isStream) requireAcceptsJson(request.headers);
    const params = definition.params?.safeParse(pathParams);
    if (params && !params.success) throw new ServiceError(refuse("not_found"));
    const query = definition.query && requireValid(definition.query, readQuery(request.url));
    // Already read if it named the client.
    if (definition.body && facts.body === undefined) facts.body = await readBody(request, { takesForm: isOAuth });
    const lastEventId = definition.isStream ? (request.headers.get("last-event-id") ?? undefined) : undefined;
    return { query, params: params?.data, lastEventId };
  }

  function validated(caller: Callers[Who], what: object, parsed: unknown) {
    const body = definition.body && requireValid(definition.body, parsed);
    // Without a schema both the declared type and the value are undefined.
    return { idempotency: undefined, ...what, caller, body } as Omit<
      RouteRequest<Who, z.output<Body>, z.output<Query>, z.output<Params>>,
      keyof RequestTrail
    >;
  }

  const { body, query, params, documentation } = definition;
  const takesIdempotencyKey = replay !== undefined;
  const documented = { operation, method, path, isOAuth, who, body, query, params, takesIdempotencyKey, isAboutKey };
  return { ...documented, documentation, answer };
}

function readIdempotency(
  headers: Headers,
  { operation, caller, body }: { operation: string; caller: Callers[keyof Callers]; body: unknown },
): IdempotencyKey | undefined {
  const key = readIdempotencyKey(headers);
  const clientId = clientIdOf(caller);
  if (key === undefined || clientId === undefined) return undefined;
  const userScope = caller && "user" in caller ? caller.user.id : "";
  return { clientId, userScope, operation, key, fingerprint: fingerprintOf(operation, body) };
}

// A refusal thrown before the operation would claim that nothing was created; the key may know better.
async function unlessReplayed(
  key: IdempotencyKey | undefined,
  replay: (resourceId: string) => Promise<unknown>,
  work: () => Promise<Reply | Refusal>,
): Promise<Reply | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (!key || !(error instanceof ServiceError)) throw error;
    const verdict = await findReplay(key);
    if (!verdict) throw error;
    if (verdict.kind !== "replayed") return refuse(verdict.kind);
    return replyCreated("replayed", await replay(verdict.resourceId));
  }
}

type CallerRule<Who extends keyof Callers> = { who: Who; isOAuth?: boolean };

async function requireCaller<Who extends keyof Callers>(
  rule: CallerRule<Who>,
  request: Request,
  facts: RequestFacts,
): Promise<Callers[Who]>;
async function requireCaller(
  { who, isOAuth }: CallerRule<keyof Callers>,
  request: Request,
  facts: RequestFacts,
): Promise<Callers[keyof Callers]> {
  switch (who) {
    case "client":
      return isOAuth ? requireOAuthClient(request, facts) : requireClient(request.headers);
    case "user":
      return requireUser(request.headers);
    case "operator":
      return requireOperator(request.headers);
    case "anyone":
      return undefined;
  }
}

function isIntercepted(caller: Callers[keyof Callers]): boolean {
  if (!caller) return false;
  return "client" in caller ? caller.client.isIntercepted : caller.clientIsIntercepted;
}

function clientIdOf(caller: Callers[keyof Callers]): string | undefined {
  if (!caller) return undefined;
  return "client" in caller ? caller.client.id : caller.clientId;
}

/** What the OpenAPI document says about an operation beyond its route. */
export type RouteDocumentation = {
  summary: string;
  description?: string;
  /** The success. `body` is a schema of `lib/contract/bodies.ts`, which has its golden example; undefined: an empty body. */
  answer: { status: 200 | 201 | 202 | 204; body?: z.ZodMiniType; mediaType?: string };
  /** If it differs from the schema that the route parses with: OAuth endpoints check their parameters later. */
  requestBody?: z.ZodMiniType;
  /** The reasons that do not follow from the rest of the route. */
  refusals?: readonly ErrorReason[];
  /** The OAuth errors of this endpoint. */
  oauthRefusals?: readonly OAuthReason[];
};

/** The parts of a route that go into the OpenAPI document. */
export type DocumentedRoute = {
  operation: string;
  method: string;
  path: string;
  isOAuth: boolean;
  who: keyof Callers;
  body: z.ZodMiniType | undefined;
  query: z.ZodMiniType | undefined;
  params: z.ZodMiniType | undefined;
  takesIdempotencyKey: boolean;
  isAboutKey: boolean;
  documentation: RouteDocumentation | undefined;
};
