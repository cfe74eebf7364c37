import type * as z from "zod/mini";
import type { ErrorReason } from "../../contract/errors.ts";
import type { UserCaller } from "../operations/authenticate-access-token.ts";
import { type AnsweredRequest, answerRequest, type Reply, type RequestTrail } from "./answer-request.ts";
import { applyFault } from "./apply-fault.ts";
import { type ClientCaller, requireClient } from "./authenticate-client.ts";
import { requireUser } from "./authenticate-user.ts";
import { readIdempotencyKey } from "./idempotency.ts";
import { requireAddressWithinRate, requireClientWithinRate } from "./rate-limits.ts";
import { readBody, requireAcceptsJson } from "./read-body.ts";
import type { DocumentedRoute, RouteDocumentation } from "./route-documentation.ts";
import { type Refusal, ServiceError } from "./service-error.ts";
import { requireValid, validationFailed } from "./validate.ts";

/** What a route's caller is, by the route's `who`. */
export type Callers = { client: ClientCaller; user: UserCaller; anyone: undefined };

/** A request that has passed "who?" and "what?". */
export type RouteRequest<Who extends keyof Callers, Body, Query, Params> = RequestTrail & {
  caller: Callers[Who];
  body: Body;
  query: Query;
  params: Params;
  /** In lower case; always undefined unless the route says `takesIdempotencyKey`. */
  idempotencyKey: string | undefined;
  /** What the reader of a stream has seen last; always undefined unless the route says `isStream`. */
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
  /** The rest of "who?": a caller who may not do this is refused before the body is looked at. */
  permit?: (caller: Callers[Who]) => Refusal | undefined;
  body?: Body;
  /** Without a schema the query is not looked at; a repeated parameter is refused. */
  query?: Query;
  /** Whatever does not fit is not_found: an id that cannot exist is an id that does not. */
  params?: Params;
  takesIdempotencyKey?: boolean;
  /** The token and revocation endpoints: forms as well as JSON, refusals as RFC 6749 writes them. */
  isOAuth?: boolean;
  /** Answers with a stream of events and not with JSON, whatever the accept header says. */
  isStream?: boolean;
  /** What the OpenAPI document says beyond the rest of this definition. */
  documentation: RouteDocumentation;
  handle: (
    request: RouteRequest<Who, z.output<Body>, z.output<Query>, z.output<Params>>,
  ) => Promise<Reply | Refusal> | Reply | Refusal;
};

/** A route, ready for the app: it answers a request whatever happens. */
export type Route = DocumentedRoute & {
  answer: (
    request: Request,
    params: Record<string, string>,
    observe?: (answered: AnsweredRequest) => void,
  ) => Promise<Response>;
};

/** Every route in the same order: who? -> what? -> do it -> shape it. */
export function defineRoute<
  Who extends keyof Callers,
  Body extends Schema = None,
  Query extends Schema = None,
  Params extends Schema = None,
>(definition: RouteDefinition<Who, Body, Query, Params>): Route {
  const { operation, method, path, who, permit, takesIdempotencyKey = false, isOAuth = false, handle } = definition;

  async function answer(
    request: Request,
    pathParams: Record<string, string>,
    observe?: (answered: AnsweredRequest) => void,
  ): Promise<Response> {
    return answerRequest(request, { operation, isOAuth, observe }, async (trail, seen) => {
      await requireAddressWithinRate(request.headers);
      const caller = await requireCaller(who, request.headers);
      trail.clientId = clientIdOf(caller);
      if (trail.clientId) await requireClientWithinRate(trail.clientId, { isOAuth });
      const refusal = (await applyFault(operation, caller)) ?? permit?.(caller);
      if (refusal) return refusal;

      if (!definition.isStream) requireAcceptsJson(request.headers);
      const params = definition.params?.safeParse(pathParams);
      if (params && !params.success) throw notFound();
      const query = definition.query && requireValid(definition.query, readQuery(request.url));
      const idempotencyKey = takesIdempotencyKey ? readIdempotencyKey(request.headers) : undefined;
      seen.body = definition.body && (await readBody(request, { takesForm: isOAuth }));
      const body = definition.body && requireValid(definition.body, seen.body);

      const lastEventId = definition.isStream ? (request.headers.get("last-event-id") ?? undefined) : undefined;

      // Where a schema is missing the declared type is undefined, and so is the value.
      const shaped = { caller, body, query, params: params?.data, idempotencyKey, lastEventId } as Omit<
        RouteRequest<Who, z.output<Body>, z.output<Query>, z.output<Params>>,
        keyof RequestTrail
      >;
      return handle({ ...shaped, ...trail });
    });
  }
  const { body, query, params, documentation } = definition;
  return { operation, method, path, isOAuth, who, body, query, params, takesIdempotencyKey, documentation, answer };
}

/** A refusal with nothing but its reason and one sentence for the developer. */
export function refuse(reason: Exclude<ErrorReason, "validation_failed">, description: string): Refusal {
  return { refuse: reason, description };
}

/** The same answer for what is missing and for what belongs to somebody else. Decision D5 */
export function refuseNotFound(): Refusal {
  return { refuse: "not_found", description: "There is no such resource." };
}

function notFound(): ServiceError {
  return new ServiceError(refuseNotFound());
}

async function requireCaller<Who extends keyof Callers>(who: Who, headers: Headers): Promise<Callers[Who]>;
async function requireCaller(who: keyof Callers, headers: Headers): Promise<Callers[keyof Callers]> {
  switch (who) {
    case "client":
      return requireClient(headers);
    case "user":
      return requireUser(headers);
    case "anyone":
      return undefined;
  }
}

function clientIdOf(caller: Callers[keyof Callers]): string | undefined {
  if (!caller) return undefined;
  return "client" in caller ? caller.client.id : caller.clientId;
}

function readQuery(url: string): Record<string, string> {
  const query: Record<string, string> = {};
  const start = url.indexOf("?");
  for (const [name, value] of new URLSearchParams(start < 0 ? "" : url.slice(start))) {
    if (Object.hasOwn(query, name)) throw validationFailed([{ field: name, message: "This parameter is repeated." }]);
    Object.defineProperty(query, name, { value, enumerable: true });
  }
  return query;
}
