import type { Change, FakeAnswer } from "../fake-service.ts";
import type { WholeService } from "../whole-service.ts";

/** One way in which a service may differ from ours and still follow the published interface. */
export type Difference = {
  /** Ends the sentence "The service …". */
  what: string;
  /** The sentence of docs/spec/interface.md that allows it. */
  open: string;
  /** Can be combined with all other harmless differences. */
  isHarmless?: boolean;
  /** Set if no money can move: part of the message with which Harbor stops, having paid nothing. */
  stops?: string;
  /** The settings Harbor needs for such a service; may depend on its address. */
  settings?: (url: string) => Record<string, string>;
  apply: (service: WholeService) => void;
};

type Body = Record<string, unknown>;

/** Changes the body of every success of a route. */
export function body(route: string, edit: (body: Body) => unknown): Difference["apply"] {
  return (service) =>
    service.fake.change(route, (answer) =>
      isSuccess(answer) ? { ...answer, body: edit({ ...asBody(answer) }) } : answer,
    );
}

/** Replaces fields in every success of a route; undefined removes a field. */
export function fields(route: string, replaced: Body): Difference["apply"] {
  return body(route, (before) => ({ ...before, ...replaced }));
}

/** Changes every record in a route's list. */
export function items(route: string, list: string, edit: (item: Body) => unknown): Difference["apply"] {
  return body(route, (before) => ({ ...before, [list]: (before[list] as Body[]).map((item) => edit({ ...item })) }));
}

/** Changes every response of a route. */
export function always(route: string, change: Change): Difference["apply"] {
  return ({ fake }) => fake.change(route, change);
}

/** Changes the first response of a route; the call still takes effect. */
export function once(route: string, change: Change): Difference["apply"] {
  return nth(1, route, change);
}

/** Changes only this response of a route. */
export function nth(count: number, route: string, change: Change): Difference["apply"] {
  return ({ fake }) => {
    let answered = 0;
    fake.change(route, (answer, request) => {
      answered += 1;
      return answered === count ? change(answer, request) : answer;
    });
  };
}

/** Combines several changes. */
export function together(...parts: Difference["apply"][]): Difference["apply"] {
  return (service) => {
    for (const part of parts) part(service);
  };
}

export const html: FakeAnswer = {
  status: 200,
  text: "<!doctype html><title>One moment</title>",
  headers: { "content-type": "text/html" },
};

function isSuccess({ status }: FakeAnswer): boolean {
  return status >= 200 && status < 300;
}

function asBody(answer: FakeAnswer): Body {
  return answer.body as Body;
}
