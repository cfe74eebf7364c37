import type { Role, SignedIn } from "../people/session.ts";
import type { LiveEvent } from "./live-event.ts";

/** One open stream: whose, by which session, and what it is told. */
export type LiveStream = {
  personId: string;
  role: Role;
  sessionIdHash: Buffer;
  body: ReadableStream<Uint8Array>;
  tell: (event: LiveEvent) => void;
  /** A moment later, once, however often it is told meanwhile: one payment changes several rows. */
  tellSoon: (event: LiveEvent) => void;
  /** Ends it after what was told, and `last`. */
  end: (last?: LiveEvent) => void;
};

const togetherMs = 25;
const encoder = new TextEncoder();

/** Opens one. It ends when its reader goes, or leaves more than `unreadMax` messages unread; `onEnd` is called once. */
export function openStream(
  { person, sessionIdHash }: SignedIn,
  { unreadMax, onEnd }: { unreadMax: number; onEnd: () => void },
): LiveStream {
  const soon = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (started) => {
        controller = started;
      },
      cancel: forget,
    },
    { highWaterMark: unreadMax },
  );

  function forget(): void {
    clearTimeout(timer);
    controller = undefined;
    onEnd();
  }

  function send(text: string): void {
    if (!controller) return;
    if ((controller.desiredSize ?? 0) <= 0) end();
    else controller.enqueue(encoder.encode(text));
  }

  function tell(event: LiveEvent): void {
    send(messageOf(event));
  }

  function tellSoon(event: LiveEvent): void {
    soon.add(messageOf(event));
    timer ??= setTimeout(() => {
      timer = undefined;
      const messages = [...soon].join("");
      soon.clear();
      send(messages);
    }, togetherMs);
  }

  function end(last?: LiveEvent): void {
    if (!controller) return;
    if (last) controller.enqueue(encoder.encode(messageOf(last)));
    controller.close();
    forget();
  }

  // At once, so that the reader learns that it was let in.
  tell({ kind: "beat" });
  return { personId: person.id, role: person.role, sessionIdHash, body, tell, tellSoon, end };
}

// One kind of message: an event without data would not reach the page at all.
function messageOf(event: LiveEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
