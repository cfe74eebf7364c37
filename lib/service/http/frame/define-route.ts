import type * as z from "zod/mini";
import type { ErrorReason, OAuthReason } from "../../../contract/errors.ts";
import { type Meter, requestMeter } from "../../../kit/request-meter.ts";
import { type Tracing, tracing } from "../../../kit/spans.ts";
import { inCell } from "../../cells.ts";
import { serviceConfig } from "../../config.ts";
import { fingerprintOf, type IdempotencyKey } from "../../domain/idempotency.ts";
import { findReplay } from "../../operations/idempotency.ts";
import type { ClientCaller, UserCaller } from "../../operations/tokens/authenticate.ts";
import {
  answerRequest,
  type Reply,
  type RequestFacts,
  type RequestHook,
  type RequestTrail,
  replyCreated,
  requireClientWithinRate,
  settle,
} from "./answer-request.ts";
import {
  readBody,
  readIdempotencyKey,
  readQuery,
  requireAcceptsJson,
  requireClient,
  requireOAuthClient,
  requireOperator,
  requireUser,
  requireValid,
} from "./read-request.ts";
import { type Refusal, refuse, ServiceError } from "./refusal.ts";

/** The caller by the route's `who`. */
export type Callers = { client: ClientCaller; user: UserCaller; operator: undefined; anyone: undefined };

export type RouteRequest<Who extends keyof Callers, Body, Query, Params> = RequestTrail & {
  caller: Callers[Who];
  body: Body;
  query: Query;
  params: Params;
  /** Only for a route with a `replay`. */
  idempotency: IdempotencyKey | undefined;
  /** Only for a route with `isAboutKey`. */
  key: string | undefined;
  lastEventId: string | undefined;
};

type Schema = z.ZodMiniType;
type None = z.ZodMiniType<undefined>;

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
  permit?: (caller: Callers[Who]) => Refusal | undefined;
  body?: Body;
  /** Without a schema the query is ignored. */
  query?: Query;
  /** A malformed path parameter gets not_found. */
  params?: Params;
  /** For a route that takes an idempotency key: the original response body for this resource. Decision D13 */
  replay?: (resourceId: string) => Promise<unknown>;
  /** The Idempotency-Key header is the subject of the request. */
  isAboutKey?: boolean;
  /** The token and revocation endpoints: forms as well as JSON, errors as in RFC 6749. */
  isOAuth?: boolean;
  /** Answers with server-sent events, regardless of the accept header. */
  isStream?: boolean;
  documentation: RouteDocumentation;
  handle: (
    request: RouteRequest<Who, z.output<Body>, z.output<Query>, z.output<Params>>,
  ) => Promise<Reply | Refusal> | Reply | Refusal;
};

export type Route = DocumentedRoute & {
  answer: (request: Request, params: Record<string, string>, hook?: RequestHook) => Promise<Response>;
};

/**
 * Authenticates, authorizes, validates and handles each request, in this order. A route with a `replay` authorizes after
 * validation, so that a caller who lost a permission still gets the original response.
 */
export function defineRoute<
  Who extends keyof Callers,
  Body extends Schema = None,
  Query extends Schema = None,
  Params extends Schema = None,
>(definition: RouteDefinition<Who, Body, Query, Params>): Route {
  const { operation, method, path, who, permit, replay, isAboutKey = false, isOAuth = false, handle } = definition;

  let meter: Meter | undefined;

  function answer(request: Request, pathParams: Record<string, string>, hook?: RequestHook): Promise<Response> {
    // Not before the first request, because every process defines the routes.
    meter ??= requestMeter({ listener: who === "operator" ? "operator" : "api", method, route: templateOf(path) });
    return answerRequest(request, { operation, isOAuth, hook, meter }, async (trail, facts) => {
      const caller = await requireCaller[who](request, facts, isOAuth);
      trail.clientId = clientIdOf(caller);
      if (caller && "user" in caller) facts.userId = caller.user.id;
      const proceed = () => serve(request, pathParams, { caller, trail, facts });
      if (!caller) return proceed();
      return inCell(caller.cell, () => {
        if (!hook?.around || !trail.clientId || !isIntercepted(caller)) return proceed();
        const call = { operation, clientId: trail.clientId, who: who === "user" ? "user" : "client" } as const;
        return hook.around(call, () => settle(trail, proceed));
      });
    });
  }

  async function serve(
    request: Request,
    pathParams: Record<string, string>,
    { caller, trail, facts }: { caller: Callers[Who]; trail: RequestTrail; facts: RequestFacts },
  ): Promise<Reply | Refusal> {
    if (!replay) {
      await requireAdmission(caller, trail);
      const input = await readInput(request, pathParams, facts);
      const key = isAboutKey ? readIdempotencyKey(request.headers) : undefined;
      return work({ ...validated(caller, { ...input, key }, facts.body), ...trail });
    }
    const input = await readInput(request, pathParams, facts);
    const idempotency = readIdempotency(request.headers, { operation, caller, body: facts.body });
    return unlessReplayed(idempotency, replay, async () => {
      await requireAdmission(caller, trail);
      return work({ ...validated(caller, { ...input, idempotency }, facts.body), ...trail });
    });
  }

  type HandlerInput = Parameters<typeof handle>[0];
  const workSpan = { name: `${operation} work` };

  // In a span of its own, without authentication and parsing.
  function work(input: HandlerInput): ReturnType<typeof handle> {
    const spans = tracing();
    return spans ? workTraced(spans, input) : handle(input);
  }

  async function workTraced(spans: Tracing, input: HandlerInput): Promise<Reply | Refusal> {
    const outcome = await spans.run(workSpan, async () => {
      try {
        return await handle(input);
      } catch (error) {
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

  async function readInput(request: Request, pathParams: Record<string, string>, facts: RequestFacts) {
    if (!definition.isStream) requireAcceptsJson(request.headers);
    const params = definition.params?.safeParse(pathParams);
    if (params && !params.success) throw new ServiceError(refuse("not_found"));
    const query = definition.query && requireValid(definition.query, readQuery(request.url));
    // Already read if it contained the client's credentials.
    if (definition.body && facts.body === undefined) facts.body = await readBody(request, { takesForm: isOAuth });
    const lastEventId = definition.isStream ? (request.headers.get("last-event-id") ?? undefined) : undefined;
    return { query, params: params?.data, lastEventId };
  }

  function validated(caller: Callers[Who], input: object, parsed: unknown) {
    const body = definition.body && requireValid(definition.body, parsed);
    // Without a schema the type and the value are undefined.
    return { idempotency: undefined, ...input, caller, body } as Omit<
      RouteRequest<Who, z.output<Body>, z.output<Query>, z.output<Params>>,
      keyof RequestTrail
    >;
  }

  const { body, query, params, documentation } = definition;
  const takesIdempotencyKey = replay !== undefined;
  const documented = { operation, method, path, isOAuth, who, body, query, params, takesIdempotencyKey, isAboutKey };
  return { ...documented, documentation, answer };
}

/** `/v1/routines/:id` in OpenAPI's syntax. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, "{$1}");
}

function readIdempotency(
  headers: Headers,
  { operation, caller, body }: { operation: string; caller: Callers[keyof Callers]; body: unknown },
): IdempotencyKey | undefined {
  const key = readIdempotencyKey(headers);
  const clientId = clientIdOf(caller);
  if (key === undefined || clientId === undefined) return undefined;
  const userScope = caller && "user" in caller ? caller.user.id : "";
  const fingerprint = fingerprintOf(serviceConfig().fingerprintKey, operation, body);
  return { clientId, userScope, operation, key, fingerprint };
}

// A refusal says that nothing was created, so look for a stored key before refusing.
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

type RequireCaller<Who extends keyof Callers> = (
  request: Request,
  facts: RequestFacts,
  isOAuth: boolean,
) => Promise<Callers[Who]> | Callers[Who];

const requireCaller: { [Who in keyof Callers]: RequireCaller<Who> } = {
  client: (request, facts, isOAuth) => (isOAuth ? requireOAuthClient(request, facts) : requireClient(request.headers)),
  user: ({ headers }) => requireUser(headers),
  operator: ({ headers }) => requireOperator(headers),
  anyone: () => undefined,
};

function isIntercepted(caller: Callers[keyof Callers]): boolean {
  if (!caller) return false;
  return "client" in caller ? caller.client.isIntercepted : caller.clientIsIntercepted;
}

function clientIdOf(caller: Callers[keyof Callers]): string | undefined {
  if (!caller) return undefined;
  return "client" in caller ? caller.client.id : caller.clientId;
}

export type RouteDocumentation = {
  summary: string;
  description?: string;
  /** `body` is a schema of `lib/contract/bodies.ts`, which has an example; undefined: an empty body. */
  answer: { status: 200 | 201 | 202 | 204; body?: z.ZodMiniType; mediaType?: string };
  /** If it differs from `body`: OAuth endpoints check their parameters later. */
  requestBody?: z.ZodMiniType;
  refusals?: readonly ErrorReason[];
  oauthRefusals?: readonly OAuthReason[];
};

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
  documentation: RouteDocumentation;
};
