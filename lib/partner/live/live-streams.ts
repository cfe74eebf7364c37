import * as z from "zod/mini";
import { describeError } from "../../kit/describe-error.ts";
import { keepListening } from "../../kit/listen.ts";
import { log } from "../../kit/log.ts";
import { processWide } from "../../kit/memoize.ts";
import type { Partner } from "../partner.ts";
import type { Role, SignedIn } from "../people/session.ts";
import { listLiveSessions } from "../people/storage.ts";
import { partner } from "../process-partner.ts";
import { channels, listenOn } from "../storage/channels.ts";
import { type LiveEvent, topics } from "./live-event.ts";

/** Why a stream was not opened. The page goes on by asking again and again, and tries later. */
export type StreamRefusal = "too_many_of_person" | "too_many" | "stopping";

/** What a test sets otherwise. */
export type LiveStreamsOptions = {
  /** How often each stream shows that it is alive, and its session is looked at. */
  beatMs?: number;
  /** How often the connection that listens is asked for a sign of life. */
  heartbeatMs?: number;
  /** Streams of one person, and of all, in this process. */
  personMax?: number;
  processMax?: number;
  /** How many messages may lie unread before a stream is ended. */
  unreadMax?: number;
};

/** The open streams of a process. */
export type LiveStreams = {
  open: (signedIn: SignedIn) => { kind: "open"; body: ReadableStream<Uint8Array> } | { kind: StreamRefusal };
  /** Ends all; none is opened afterwards. */
  stop: () => Promise<void>;
};

/** Those of this process, which the route opens and the server's stop ends. */
export const liveStreams = processWide("partner.live-streams", () => createLiveStreams(partner()));

/**
 * Streams that share one connection which listens for changes. A change goes to the streams of those whom it concerns, and
 * a stream ends with its session: as soon as that is announced, and at the next beat when it ran out.
 */
export function createLiveStreams(partner: Partner, options: LiveStreamsOptions = {}): LiveStreams {
  const { beatMs = 15_000, heartbeatMs, personMax = 8, processMax = 1000, unreadMax = 32 } = options;
  const streams = new Set<LiveStream>();
  // Which connection is listening: 0 is none.
  let listening = 0;
  let connections = 0;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let listener: { stop: () => Promise<void> } | undefined;

  function open(signedIn: SignedIn): ReturnType<LiveStreams["open"]> {
    if (isStopped) return { kind: "stopping" };
    if (streams.size >= processMax) return { kind: "too_many" };
    if (streamsOf(signedIn.person.id).length >= personMax) return { kind: "too_many_of_person" };
    const stream = openLiveStream(signedIn, { unreadMax, onEnd: () => streams.delete(stream) });
    streams.add(stream);
    listener ??= keepListening(
      { name: "live streams", heartbeatMs, ...listenOn(partner, channels.changes) },
      { onConnect, onNotify, onLost },
    );
    timer ??= setTimeout(beat, beatMs);
    // A stream that is opened earlier gets its "ready" from `onConnect`.
    const before = listening;
    // Once more, because the session may have ended between its being found and its stream being known.
    void endWithoutSession([stream]).then(() => {
      if (before !== 0 && before === listening) stream.tell({ kind: "ready" });
    });
    return { kind: "open", body: stream.body };
  }

  function onConnect(): void {
    listening = ++connections;
    tellAll({ kind: "ready" });
  }

  function onLost(): void {
    listening = 0;
    tellAll({ kind: "lost" });
  }

  function onNotify(payload: string): void {
    const announced = readAnnouncement(payload);
    if (!announced) return;
    const { to, topic, id } = announced;
    if (topic === "session") void endWithoutSession(streamsOf(to));
    else for (const stream of streams) if (isFor(to, stream)) stream.tellSoon({ kind: "changed", topic, id });
  }

  async function beat(): Promise<void> {
    await endWithoutSession([...streams]);
    tellAll({ kind: "beat" });
    if (!isStopped) timer = setTimeout(beat, beatMs);
  }

  async function endWithoutSession(asked: LiveStream[]): Promise<void> {
    if (asked.length === 0) return;
    try {
      const idHashes = asked.map(({ sessionIdHash }) => sessionIdHash);
      const live = new Map(
        (await listLiveSessions(partner.db, idHashes)).map(({ idHash, role }) => [idHash.toString("hex"), role]),
      );
      const over = asked.filter(({ sessionIdHash, role }) => live.get(sessionIdHash.toString("hex")) !== role);
      for (const stream of over) stream.end({ kind: "session_ended" });
    } catch (error) {
      // Whether they may still see anything is not known, so they see nothing; each comes back and is asked who it is.
      log().warn({ error: describeError(error) }, "the sessions of streams could not be looked at; the streams end");
      for (const stream of asked) stream.end();
    }
  }

  function streamsOf(personId: string): LiveStream[] {
    return [...streams].filter((stream) => stream.personId === personId);
  }

  function tellAll(event: LiveEvent): void {
    for (const stream of streams) stream.tell(event);
  }

  async function stop(): Promise<void> {
    isStopped = true;
    clearTimeout(timer);
    for (const stream of streams) stream.end();
    await listener?.stop();
  }

  return { open, stop };
}

function isFor(audience: string, { personId, role }: LiveStream): boolean {
  return audience === "operators" ? role === "operator" : audience === personId;
}

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
export function openLiveStream(
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

// What the triggers of the database notify (storage/migrations/0008_live.sql): to a person by their id, or to all operators.
const announcement = z.object({
  to: z.string(),
  topic: z.enum([...topics, "session"]),
  id: z.optional(z.string()),
});
export type Announcement = z.infer<typeof announcement>;

/** Reads a notification; undefined for one that this process does not know, as of a newer release. */
export function readAnnouncement(payload: string): Announcement | undefined {
  try {
    return announcement.safeParse(JSON.parse(payload)).data;
  } catch {
    return undefined;
  }
}
