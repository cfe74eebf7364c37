import type { Change, FakeAnswer } from "../fake-service.ts";
import type { WholeService } from "../whole-service.ts";

/** One way in which a service may differ from ours and still be the published one. */
export type Difference = {
  /** Ends the sentence "The service …". */
  what: string;
  /** The sentence of docs/spec/interface.md that leaves it open. */
  open: string;
  /** It gets along with all others that do, at once. */
  isHarmless?: boolean;
  /** Without this no money can move: where Harbor then stops, by a part of its sentence, having paid nothing. */
  stops?: string;
  /** What Harbor's operator sets for such a service; may depend on its address. */
  settings?: (url: string) => Record<string, string>;
  apply: (service: WholeService) => void;
};

type Body = Record<string, unknown>;

/** Every success of a route has another body. */
export function body(route: string, edit: (body: Body) => unknown): Difference["apply"] {
  return (service) =>
    service.fake.change(route, (answer) =>
      isSuccess(answer) ? { ...answer, body: edit({ ...asBody(answer) }) } : answer,
    );
}

/** Fields of every success of a route are replaced; undefined: left out. */
export function fields(route: string, replaced: Body): Difference["apply"] {
  return body(route, (before) => ({ ...before, ...replaced }));
}

/** Fields of every record in the list of a route are replaced. */
export function items(route: string, list: string, edit: (item: Body) => unknown): Difference["apply"] {
  return body(route, (before) => ({ ...before, [list]: (before[list] as Body[]).map((item) => edit({ ...item })) }));
}

/** Every answer of a route is another. */
export function always(route: string, change: Change): Difference["apply"] {
  return ({ fake }) => fake.change(route, change);
}

/** The first answer of a route is another one; it has taken effect all the same. */
export function once(route: string, change: Change): Difference["apply"] {
  return nth(1, route, change);
}

/** The same for one answer later on. */
export function nth(count: number, route: string, change: Change): Difference["apply"] {
  return ({ fake }) => {
    let answered = 0;
    fake.change(route, (answer, request) => {
      answered += 1;
      return answered === count ? change(answer, request) : answer;
    });
  };
}

/** Several at once. */
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
