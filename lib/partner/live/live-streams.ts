import { randomUUID } from "node:crypto";
import * as z from "zod/mini";
import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
import { processWide } from "../../kit/memoize.ts";
import { keepListening } from "../../kit/wake-loop.ts";
import type { Partner } from "../partner.ts";
import type { Role, SignedIn } from "../people/session.ts";
import { listLiveSessions } from "../people/storage.ts";
import { partner } from "../process-partner.ts";
import { channels, listenOn } from "../storage/database.ts";
import { type LiveEvent, topics } from "./live-event.ts";

/** Why a stream was refused; the page polls and tries again later. */
export type StreamRefusal = "too_many_of_person" | "too_many" | "stopping";

/** Settings for tests. */
export type LiveStreamsOptions = {
  /** How often streams send a heartbeat and check their session. */
  beatMs?: number;
  /** How often the listening connection is checked. */
  heartbeatMs?: number;
  personMax?: number;
  processMax?: number;
  unreadMax?: number;
  /** How many announcements are kept for pages that haven't opened their stream yet. */
  recentMax?: number;
};

export type LiveStreams = {
  /** The position that a page about to be rendered starts from; undefined while nothing listens. */
  position: () => string | undefined;
  /** `since` is the position of the page. */
  open: (
    signedIn: SignedIn,
    since?: string | null,
  ) => { kind: "open"; body: ReadableStream<Uint8Array> } | { kind: StreamRefusal };
  /** Ends all streams and refuses new ones. */
  stop: () => Promise<void>;
};

const instances = processWide("partner.live-streams", () => new WeakMap<Partner, LiveStreams>());

/** The streams of this process. */
export function liveStreams(of: Partner = partner()): LiveStreams {
  const known = instances().get(of) ?? createLiveStreams(of);
  instances().set(of, known);
  return known;
}

/** All streams share one listening connection. A stream ends with its session, by the next heartbeat. */
export function createLiveStreams(partner: Partner, options: LiveStreamsOptions = {}): LiveStreams {
  const { beatMs = 15_000, heartbeatMs, personMax = 8, processMax = 1000, unreadMax = 32, recentMax = 1000 } = options;
  const streams = new Set<LiveStream>();
  // The number of the current listening connection; 0 for none.
  let listening = 0;
  let connections = 0;
  // Positions have random names: a counter would show every seller how busy Harbor is.
  const recent: { position: string; announced: Announcement }[] = [];
  let positionBefore: string = randomUUID();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let listener: { stop: () => Promise<void> } | undefined;

  function listen(): void {
    listener ??= keepListening(
      { name: "live streams", heartbeatMs, ...listenOn(partner, channels.changes) },
      { onConnect, onNotify, onLost },
    );
  }

  function position(): string | undefined {
    if (isStopped) return undefined;
    listen();
    return listening === 0 ? undefined : (recent.at(-1)?.position ?? positionBefore);
  }

  /** Undefined if the position is unknown. */
  function announcedSince(since: string): Announcement[] | undefined {
    if (listening === 0) return undefined;
    const index = recent.findLastIndex(({ position }) => position === since);
    if (index === -1 && since !== positionBefore) return undefined;
    return recent.slice(index + 1).map(({ announced }) => announced);
  }

  function open(signedIn: SignedIn, since?: string | null): ReturnType<LiveStreams["open"]> {
    if (isStopped) return { kind: "stopping" };
    if (streams.size >= processMax) return { kind: "too_many" };
    if (streamsOf(signedIn.person.id).length >= personMax) return { kind: "too_many_of_person" };
    const stream = openLiveStream(signedIn, { unreadMax, onEnd: () => streams.delete(stream) });
    streams.add(stream);
    listen();
    timer ??= setTimeout(beat, beatMs);
    const before = listening;
    const missed = since ? announcedSince(since) : undefined;
    // The session may have ended before the stream was registered.
    void endWithoutSession([stream]).then(() => {
      if (before === 0 || before !== listening) return;
      stream.send({ kind: "ready", ...(missed && { isSince: true }) });
      for (const announced of missed ?? []) sendTo(stream, announced);
    });
    return { kind: "open", body: stream.body };
  }

  function onConnect(): void {
    listening = ++connections;
    recent.length = 0;
    positionBefore = randomUUID();
    sendAll({ kind: "ready" });
  }

  function onLost(): void {
    listening = 0;
    sendAll({ kind: "lost" });
  }

  function onNotify(payload: string): void {
    const announced = readAnnouncement(payload);
    if (!announced) return;
    recent.push({ position: randomUUID(), announced });
    if (recent.length > recentMax) positionBefore = recent.shift()?.position ?? positionBefore;
    if (announced.topic === "session") void endWithoutSession(streamsOf(announced.to));
    else for (const stream of streams) sendTo(stream, announced);
  }

  async function beat(): Promise<void> {
    await endWithoutSession([...streams]);
    sendAll({ kind: "beat" });
    if (!isStopped) timer = setTimeout(beat, beatMs);
  }

  async function endWithoutSession(checked: LiveStream[]): Promise<void> {
    if (checked.length === 0) return;
    try {
      const idHashes = checked.map(({ sessionIdHash }) => sessionIdHash);
      const live = new Map(
        (await listLiveSessions(partner.db, idHashes)).map(({ idHash, role }) => [idHash.toString("hex"), role]),
      );
      const over = checked.filter(({ sessionIdHash, role }) => live.get(sessionIdHash.toString("hex")) !== role);
      for (const stream of over) stream.end({ kind: "session_ended" });
    } catch (error) {
      // Without proof of a session, nothing may be sent. Each page reconnects, and signs in again if it must.
      log().warn({ error: describeError(error) }, "stream sessions could not be checked; closing the streams");
      for (const stream of checked) stream.end();
    }
  }

  function streamsOf(personId: string): LiveStream[] {
    return [...streams].filter((stream) => stream.personId === personId);
  }

  function sendAll(event: LiveEvent): void {
    for (const stream of streams) stream.send(event);
  }

  async function stop(): Promise<void> {
    isStopped = true;
    clearTimeout(timer);
    for (const stream of streams) stream.end();
    await listener?.stop();
  }

  return { position, open, stop };
}

function sendTo(stream: LiveStream, { to, topic, id }: Announcement): void {
  // A new stream's session is checked anyway.
  if (topic !== "session" && isFor(to, stream)) stream.sendSoon({ kind: "changed", topic, id });
}

function isFor(audience: string, { personId, role }: LiveStream): boolean {
  return audience === "operators" ? role === "operator" : audience === personId;
}

type LiveStream = {
  personId: string;
  role: Role;
  sessionIdHash: Buffer;
  body: ReadableStream<Uint8Array>;
  send: (event: LiveEvent) => void;
  /** Sends after a short delay, dropping repeats: one payment changes several rows. */
  sendSoon: (event: LiveEvent) => void;
  end: (last?: LiveEvent) => void;
};

const delayMs = 25;
const encoder = new TextEncoder();

/** Ends when its reader disconnects or has more than `unreadMax` unread messages; `onEnd` is called once. */
function openLiveStream(
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

  function sendText(text: string): void {
    if (!controller) return;
    if ((controller.desiredSize ?? 0) <= 0) end();
    else controller.enqueue(encoder.encode(text));
  }

  function send(event: LiveEvent): void {
    sendText(messageOf(event));
  }

  function sendSoon(event: LiveEvent): void {
    soon.add(messageOf(event));
    timer ??= setTimeout(() => {
      timer = undefined;
      const messages = [...soon].join("");
      soon.clear();
      sendText(messages);
    }, delayMs);
  }

  function end(last?: LiveEvent): void {
    if (!controller) return;
    if (last) controller.enqueue(encoder.encode(messageOf(last)));
    controller.close();
    forget();
  }

  // Tells the reader right away that it is connected.
  send({ kind: "beat" });
  return { personId: person.id, role: person.role, sessionIdHash, body, send, sendSoon, end };
}

function messageOf(event: LiveEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

/** What the database's triggers send: to a person's id, or to all operators. */
const announcement = z.object({
  to: z.string(),
  topic: z.enum([...topics, "session"]),
  id: z.optional(z.string()),
});
export type Announcement = z.infer<typeof announcement>;

/** Reads a notification; undefined for an unknown kind, such as a newer release's. */
export function readAnnouncement(payload: string): Announcement | undefined {
  try {
    return announcement.safeParse(JSON.parse(payload)).data;
  } catch {
    return undefined;
  }
}
