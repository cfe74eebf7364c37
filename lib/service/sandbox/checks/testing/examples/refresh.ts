import type { Examples } from "../example-events.ts";

const elevenDays = 11 * 86_400;

export const examples: Record<string, Examples> = {
  "refresh-only-when-needed": {
    kept: {
      "after token_expired": (record) => {
        const pair = record.connect();
        record.read(pair);
        record.jump(7300);
        record.read(pair, { status: 401 });
        record.refresh(pair);
      },
      "shortly before the token expires": (record) => {
        const pair = record.connect();
        record.jump(7000);
        record.refresh(pair);
      },
      "after an idle week": (record) => {
        const pair = record.connect();
        record.jump(7 * 86_400);
        record.refresh(pair);
      },
    },
    broken: {
      "before every request": (record) => {
        const first = record.connect();
        record.read(first);
        const second = record.refresh(first);
        record.read(second);
      },
      "with a token issued a moment ago": (record) => {
        const first = record.connect();
        record.read(first, { status: 401 });
        const second = record.refresh(first);
        record.refresh(second);
      },
      "repeatedly after a clock jump": (record) => {
        const first = record.connect();
        record.jump(7300);
        const second = record.refresh(first);
        const third = record.refresh(second);
        record.refresh(third);
      },
      "again after a jump that expires no token": (record) => {
        const first = record.connect();
        record.jump(3600);
        record.read(first, { status: 401 });
        const second = record.refresh(first);
        record.refresh(second);
      },
    },
    notSeen: {
      "no refresh": (record) => {
        record.read(record.connect());
      },
      "the refresh is refused": (record) => {
        record.refresh(record.connect(), { status: 400 });
      },
    },
    nearMisses: {
      "a retry after a lost answer": (record) => {
        const pair = record.connect();
        record.jump(7300);
        record.refresh(pair);
        record.wait(10_000);
        record.refresh(pair);
      },
      "after a fault reported a live token as expired": (record) => {
        const pair = record.connect();
        record.read(pair, { status: 401 });
        record.refresh(pair);
      },
      "the client's own clock follows the jump later": (record) => {
        const first = record.connect();
        record.jump(7 * 86_400);
        record.read(first, { status: 401 });
        const second = record.refresh(first);
        record.read(second);
        record.wait(10_000);
        record.refresh(second);
      },
      "the same, with the first answer lost": (record) => {
        const first = record.connect();
        record.read(first);
        record.jump(7 * 86_400);
        record.refresh(first);
        record.wait(10_000);
        const second = record.refresh(first);
        record.wait(10_000);
        record.refresh(second);
      },
      "two users, only one of them expired": (record) => {
        const [ada, grace] = [record.connect("ada"), record.connect("grace")];
        record.read(ada);
        record.read(grace, { status: 401 });
        record.refresh(grace);
      },
      "a concurrent process with a stale read": (record) => {
        const pair = record.connect();
        record.read(pair, { status: 401 });
        const next = record.refresh(pair);
        record.read(next);
        record.refresh(pair);
      },
    },
  },
  "newest-refresh-token": {
    kept: {
      "each refresh with the token of the one before": (record) => {
        const first = record.connect();
        record.jump(7200);
        const second = record.refresh(first);
        record.jump(7200);
        record.refresh(second);
      },
    },
    broken: {
      "the first token each time": (record) => {
        const first = record.connect();
        record.read(record.refresh(first));
        record.wait(5000);
        record.refresh(first);
      },
    },
    notSeen: {
      "one refresh": (record) => {
        record.refresh(record.connect());
      },
    },
    nearMisses: {
      "another process that still has the old pair": (record) => {
        const first = record.connect();
        record.read(record.refresh(first));
        record.wait(500);
        record.refresh(first);
      },
      "the new pair was never used": (record) => {
        const first = record.connect();
        record.refresh(first);
        record.wait(60_000);
        record.refresh(first);
      },
    },
  },
  "refresh-one-at-a-time": {
    kept: {
      "one refresh": (record) => {
        const pair = record.connect();
        record.jump(7300);
        record.refresh(pair);
      },
      "one after the other": (record) => {
        const pair = record.connect();
        record.jump(7300);
        record.refresh(pair);
        record.refresh(pair);
      },
    },
    broken: {
      "two at once": (record) => {
        const pair = record.connect();
        record.refresh(pair, { isAside: true });
        record.wait(3);
        record.refresh(pair);
      },
      "two at once on a slow service": (record) => {
        const pair = record.connect();
        record.refresh(pair, { isAside: true, took: 3000, facts: { is_faulted: true } });
        record.wait(200);
        record.refresh(pair);
      },
    },
    notSeen: {
      "no refresh": (record) => {
        record.read(record.connect());
      },
    },
    nearMisses: {
      "two users at once": (record) => {
        const [ada, grace] = [record.connect("ada"), record.connect("grace")];
        record.refresh(ada, { isAside: true });
        record.refresh(grace);
      },
      "a retry after a timeout": (record) => {
        const pair = record.connect();
        record.refresh(pair, { isAside: true, took: 30_000 });
        record.wait(5000);
        record.refresh(pair);
      },
      "an immediate retry after a dropped connection": (record) => {
        const pair = record.connect();
        record.refresh(pair, { took: 2, facts: { is_faulted: true } });
        record.refresh(pair);
      },
    },
  },
  "refresh-then-repeat": {
    kept: {
      "a refresh and a repeat": (record) => {
        const pair = record.connect();
        record.jump(7300);
        record.read(pair, { status: 401 });
        record.read(record.refresh(pair));
      },
      "a refresh without an answer, another refresh, and a repeat": (record) => {
        const pair = record.connect();
        record.jump(7300);
        record.read(pair, { status: 401 });
        record.refresh(pair, { status: null, facts: { is_faulted: true, cut: "after" } });
        record.wait(1000);
        record.read(record.refresh(pair));
      },
      "a new authorization and a repeat": (record) => {
        const pair = record.connect();
        record.jump(7300);
        record.read(pair, { status: 401 });
        record.wait(60_000);
        record.read(record.connect());
      },
    },
    broken: {
      "the expired token again": (record) => {
        const pair = record.connect();
        record.jump(7300);
        record.read(pair, { status: 401 });
        record.wait(2500);
        record.read(pair, { status: 401 });
      },
      "a refresh without a repeat": (record) => {
        const pair = record.connect();
        record.jump(7300);
        record.read(pair, { status: 401 });
        record.read(record.refresh(pair), { operation: "readUser" });
        record.wait(10_000);
      },
    },
    notSeen: {
      "no token expires": (record) => {
        record.read(record.connect());
      },
      "the person hasn't authorized yet": (record) => {
        const pair = record.connect();
        record.jump(7300);
        record.read(pair, { status: 401 });
        record.mint();
        record.wait(60_000);
      },
    },
    nearMisses: {
      "three calls of one page, one refresh, three repeats": (record) => {
        const pair = record.connect();
        record.jump(7300);
        for (const operation of ["listAccounts", "readUser", "listRoutines"]) {
          record.read(pair, { operation, status: 401, isAside: true });
        }
        record.wait(30);
        const next = record.refresh(pair);
        for (const operation of ["listAccounts", "readUser", "listRoutines"]) record.read(next, { operation });
      },
      "a token refused for another reason, sent again": (record) => {
        const pair = record.connect();
        record.read(pair, { status: 401, reason: "invalid_token" });
        record.wait(2500);
        record.read(pair, { status: 401, reason: "invalid_token" });
      },
      "a refresh attempt per call while the token endpoint is down": (record) => {
        const pair = record.connect();
        record.jump(7300);
        for (let round = 0; round < 3; round++) {
          record.read(pair, { status: 401 });
          record.refresh(pair, { status: 503, reason: "unavailable" });
          record.wait(5000);
        }
      },
      "a refused refresh, and a later authorization on another page": (record) => {
        const pair = record.connect();
        record.jump(elevenDays);
        record.read(pair, { status: 401 });
        record.refresh(pair, { status: 400 });
        record.wait(3_600_000);
        record.read(record.connect(), { operation: "readUser" });
        record.wait(10_000);
      },
      "a refresh that failed, and a later one on another page": (record) => {
        const pair = record.connect();
        record.jump(7300);
        record.read(pair, { status: 401 });
        record.refresh(pair, { status: 503, reason: "unavailable" });
        record.wait(3_600_000);
        record.read(record.refresh(pair), { operation: "readUser" });
        record.wait(10_000);
      },
      "the refresh answer is lost": (record) => {
        const pair = record.connect();
        record.jump(7300);
        record.read(pair, { status: 401 });
        record.refresh(pair);
        record.wait(60_000);
      },
      "another process's call in flight": (record) => {
        const pair = record.connect();
        record.jump(7300);
        record.read(pair, { status: 401 });
        record.wait(500);
        record.read(pair, { status: 401 });
      },
    },
  },
  "current-access-token": {
    kept: {
      "only the new token": (record) => {
        const pair = record.connect();
        record.read(pair);
        record.jump(7300);
        const next = record.refresh(pair);
        record.read(next);
        record.wait(5000);
        record.read(next);
      },
    },
    broken: {
      "the old token after the new one": (record) => {
        const pair = record.connect();
        record.jump(7000);
        record.read(record.refresh(pair));
        record.wait(2500);
        record.read(pair, { status: 401, reason: "token_superseded" });
      },
    },
    notSeen: {
      "a single pair": (record) => {
        record.read(record.connect());
      },
      "one pair per user": (record) => {
        record.read(record.connect("ada"));
        record.read(record.connect("grace"));
      },
    },
    nearMisses: {
      "a call already in flight": (record) => {
        const pair = record.connect();
        record.jump(7000);
        record.read(record.refresh(pair));
        record.wait(300);
        record.read(pair, { status: 401, reason: "token_superseded" });
      },
      "the new pair never arrived": (record) => {
        const pair = record.connect();
        record.jump(7000);
        record.refresh(pair);
        record.wait(20_000);
        record.read(pair, { status: 401, reason: "token_superseded" });
      },
      "another user got a new token": (record) => {
        const [ada, grace] = [record.connect("ada"), record.connect("grace")];
        record.jump(7000);
        record.read(record.refresh(ada));
        record.wait(5000);
        record.read(grace);
      },
      "the clock jumps during a call": (record) => {
        const pair = record.connect();
        record.jump(7000);
        record.read(record.refresh(pair));
        record.jump(86_400);
        record.read(pair, { status: 401 });
      },
    },
  },
};
