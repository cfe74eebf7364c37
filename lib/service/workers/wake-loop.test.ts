import { afterEach, expect, test } from "vitest";
import { startWakeLoop, type WakeLoop, type WakeLoopOptions } from "../../kit/wake-loop.ts";
import { serviceConfig } from "../config.ts";
import { servicePool } from "../storage/database.ts";

const longMs = 60_000;
let loop: WakeLoop | undefined;
afterEach(() => loop?.stop());

test("polls at start, and when notified", async () => {
  const polls = start("test_notify");
  await polls.settle();
  const before = polls.count;
  await servicePool().query("select pg_notify('test_notify', '')");
  await polls.atLeast(before + 1);
});

test("polls when more is due, without a notification", async () => {
  const polls = start("test_due", { work: async () => 10 });
  await polls.atLeast(5);
});

test("polls every pollMs, in case a notification was lost", async () => {
  const polls = start("test_poll", { pollMs: 20 });
  await polls.atLeast(5);
});

test("polls every pollMs even if the next work is due later, in case a notification was missed", async () => {
  const polls = start("test_far", { work: async () => longMs, pollMs: 20 });
  await polls.atLeast(5);
});

test("with a payload of its own, isn't woken by others' notifications", async () => {
  const polls = start("test_payload", { payload: "own" });
  await polls.settle();
  const before = polls.count;
  await servicePool().query("select pg_notify('test_payload', payload) from unnest(array['other', '', 'own']) payload");
  await polls.atLeast(before + 1);
  expect(polls.count).toBe(before + 1);
});

test("continues after a failed poll", async () => {
  const polls = start("test_failure", { work: () => Promise.reject(new Error("no database")), pollMs: longMs });
  await polls.atLeast(3);
});

// Work announced while the connection is down is found after the reconnect.
test("reconnects and polls when its connection is cut", async () => {
  const polls = start("test_cut");
  await polls.settle();
  const before = polls.count;
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen "test_cut"%'`;
  expect((await servicePool().query(cut)).rowCount).toBe(1);
  await polls.atLeast(before + 1);
  await polls.settle();
  const connected = polls.count;
  await servicePool().query("select pg_notify('test_cut', '')");
  await polls.atLeast(connected + 1);
});

test("records its wake time and when it's awake, and deletes its row when it stops", async () => {
  const notice = recordedNotice();
  start("test_sleep", { work: async () => 60_000, sleep: notice.sleep });
  await expect.poll(() => notice.steps.at(-1)).toBe("asleep");
  loop?.wake();
  await expect.poll(() => notice.steps).toContain("awake");
  await expect.poll(() => notice.steps.at(-1)).toBe("asleep");
  await loop?.stop();
  expect(notice.steps.at(-1)).toBe("gone");
});

test("does not ask to be woken while at capacity", async () => {
  const notice = recordedNotice();
  const polls = start("test_full", { work: async () => "full" as const, sleep: notice.sleep });
  await polls.settle();
  const before = polls.count;
  loop?.wake();
  await polls.atLeast(before + 1);
  await loop?.stop();
  expect(notice.steps).toEqual(["gone"]);
});

test("never overlaps its polls, and loses no wake that comes during one", async () => {
  let running = 0;
  let most = 0;
  let finish = () => {};
  const polls = start("test_overlap", {
    work: async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      running--;
      return undefined;
    },
  });
  await polls.atLeast(1);
  loop?.wake();
  loop?.wake();
  finish();
  await polls.atLeast(2);
  expect(most).toBe(1);
  const stopped = loop?.stop();
  finish();
  await stopped;
});

function start(channel: string, { payload, ...options }: Partial<WakeLoopOptions> & { payload?: string } = {}) {
  const polls = {
    count: 0,
    atLeast: (count: number) => expect.poll(() => polls.count, { interval: 5 }).toBeGreaterThanOrEqual(count),
    // At start it polls once more after it begins to listen.
    settle: () => expect.poll(() => isListening(channel), { interval: 5 }).toBe(true),
  };
  const { work = async () => undefined, pollMs = longMs, sleep } = options;
  loop = startWakeLoop({
    name: channel,
    listen: { databaseUrl: serviceConfig().databaseUrl, channel, ...(payload !== undefined && { payload }) },
    pollMs,
    ...(sleep && { sleep }),
    work: (...call) => {
      polls.count++;
      return work(...call);
    },
  });
  return polls;
}

/** Records the calls of a sleep notice. */
function recordedNotice() {
  const steps: string[] = [];
  const record = (word: string) => async () => {
    steps.push(word);
  };
  const announce = async () => {
    steps.push("asleep");
    return "1";
  };
  return { steps, sleep: { announce, isSeen: async () => true, wake: record("awake"), remove: record("gone") } };
}

async function isListening(channel: string): Promise<boolean> {
  const { rows } = await servicePool().query(
    `select from pg_stat_activity where query = 'listen "${channel}"' and state = 'idle'`,
  );
  return rows.length === 1;
}
