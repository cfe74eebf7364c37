import type { Examples } from "../example-events.ts";

const busy = { status: 429, reason: "rate_limited" };

const down = { status: 500, reason: "internal_error" };

export const examples: Record<string, Examples> = {
  "retry-after-obeyed": {
    kept: {
      "again after two seconds": (record) => {
        record.call("createUserIntent", { body: "b", retry_after_seconds: 2 }, busy);
        record.wait(2000);
        record.call("createUserIntent", { body: "b" }, { status: 201 });
      },
    },
    broken: {
      "immediate retries": (record) => {
        for (let round = 0; round < 3; round++) {
          record.call("createUserIntent", { body: "b", retry_after_seconds: 2 }, busy);
          record.wait(100);
        }
      },
      "an immediate retry of a payment": (record) => {
        const pair = record.connect();
        record.pay(pair, { idempotency_key: "k", body: "b", retry_after_seconds: 1 }, busy);
        record.pay(pair, { idempotency_key: "k", body: "b" });
      },
    },
    notSeen: {
      "no retry-after": (record) => {
        record.read(record.connect());
      },
      "no retry": (record) => {
        record.call("createUserIntent", { body: "b", retry_after_seconds: 2 }, busy);
      },
    },
    nearMisses: {
      "one call from another tab": (record) => {
        const pair = record.connect();
        record.call("listAccounts", { access_token: pair.access, retry_after_seconds: 2 }, busy);
        record.call("listAccounts", { access_token: pair.access, retry_after_seconds: 2 }, busy);
      },
      "another user": (record) => {
        for (const user of ["ada", "grace", "mary"]) {
          record.call("listAccounts", { access_token: record.connect(user).access, retry_after_seconds: 2 }, busy);
        }
      },
      "lists with other filters": (record) => {
        const pair = record.connect();
        const transfersOf = (query: string) => ({ authorization: "bearer", access_token: pair.access, query }) as const;
        record.call("listTransfers", { ...transfersOf("routine 1"), retry_after_seconds: 2 }, busy);
        for (const query of ["routine 2", "routine 3", "routine 4"]) record.call("listTransfers", transfersOf(query));
      },
      "a slightly early timer": (record) => {
        for (let round = 0; round < 4; round++) {
          record.call("createUserIntent", { body: "b", retry_after_seconds: 2 }, busy);
          record.wait(1900);
        }
      },
    },
  },
  "retries-bounded": {
    kept: {
      "three attempts with pauses": (record) => {
        for (const pause of [200, 800, 3000]) {
          record.call("createUserIntent", { body: "b" }, down);
          record.wait(pause);
        }
      },
      "a successful retry": (record) => {
        record.call("createUserIntent", { body: "b" }, down);
        record.call("createUserIntent", { body: "b" }, { status: 201 });
      },
    },
    broken: {
      "thirty times in a second": (record) => {
        for (let round = 0; round < 30; round++) record.call("createUserIntent", { body: "b" }, down);
      },
      "thirty times in a second, without an answer": (record) => {
        for (let round = 0; round < 30; round++) record.call("createUserIntent", { body: "b" }, { status: null });
      },
      "sixty times in three seconds, while the first payment is in progress": (record) => {
        const pair = record.connect();
        const busyKey = { status: 409, reason: "idempotency_in_progress" };
        for (let round = 0; round < 60; round++) {
          record.pay(pair, { idempotency_key: "k", body: "b", resource_id: null }, busyKey);
          record.wait(30);
        }
      },
      "without waiting for the calls before": (record) => {
        const pair = record.connect();
        for (let round = 0; round < 200; round++) {
          record.pay(pair, { idempotency_key: "k", body: "b" }, { status: 500, took: 3000, isAside: true });
          record.wait(50);
        }
      },
      "an unknown record, in a loop": (record) => {
        const pair = record.connect();
        for (let round = 0; round < 60; round++) {
          record.read(pair, { operation: "getRoutine", resource: "r1", status: 404, reason: "not_found" });
        }
      },
      "a revoked token, in a loop behind a slow call": (record) => {
        const pair = record.connect();
        const revoked = { status: 401, reason: "invalid_token" };
        record.read(pair, { ...revoked, took: 5000, isAside: true });
        for (let round = 0; round < 30; round++) record.read(pair, revoked);
      },
    },
    notSeen: {
      "nothing fails": (record) => {
        for (let round = 0; round < 30; round++) record.call("createUserIntent", { body: "b" }, { status: 201 });
      },
      "a wrong id, read again": (record) => {
        const pair = record.connect();
        for (let round = 0; round < 2; round++) {
          record.read(pair, { operation: "getRoutine", resource: "r1", status: 404, reason: "not_found" });
        }
      },
      "one failure without a retry": (record) => {
        record.call("createUserIntent", { body: "b" }, down);
      },
    },
    nearMisses: {
      "a page polling once a second during an outage": (record) => {
        for (let round = 0; round < 60; round++) {
          record.call("listAccounts", {}, down);
          record.wait(1000);
        }
      },
      "twenty failures, then a success": (record) => {
        for (let round = 0; round < 20; round++) record.call("createUserIntent", { body: "b" }, down);
        record.call("createUserIntent", { body: "b" }, { status: 201 });
      },
      "thirty calls at once, refused": (record) => {
        const pair = record.connect();
        const refused = { operation: "getRoutine", status: 404, reason: "not_found", took: 500, isAside: true };
        for (let tab = 0; tab < 30; tab++) {
          record.read(pair, refused);
          record.wait(1);
        }
      },
      "calls arriving during a slow refresh, which another rule covers": (record) => {
        const pair = record.connect();
        record.jump(7300);
        record.refresh(pair, { took: 1500, isAside: true });
        for (let visitor = 0; visitor < 30; visitor++) record.read(pair, { status: 401 });
      },
      "thirty people at once": (record) => {
        const pairs = Array.from({ length: 30 }, (_, index) => record.connect(`person ${index}`));
        for (const pair of pairs) record.read(pair, down);
      },
      "thirty lists, each with another filter": (record) => {
        const pair = record.connect();
        for (let read = 0; read < 30; read++) {
          record.read(pair, { ...down, operation: "listTransfers", query: `routine ${read}` });
        }
      },
      "every other call succeeds": (record) => {
        for (let round = 0; round < 60; round++) {
          record.call("listAccounts", {}, round % 2 === 0 ? down : { status: 200 });
        }
      },
    },
  },
  "reads-paused": {
    kept: {
      "a read every second": (record) => {
        const pair = record.connect();
        for (let read = 0; read < 30; read++) {
          record.read(pair, { operation: "getRoutine", resource: "r1" });
          record.wait(1000);
        }
      },
    },
    broken: {
      "a loop without a pause": (record) => {
        const pair = record.connect();
        for (let read = 0; read < 40; read++) record.read(pair, { operation: "getRoutine", resource: "r1", took: 10 });
      },
    },
    notSeen: {
      "one read": (record) => {
        record.read(record.connect());
      },
    },
    nearMisses: {
      "failing reads, which another rule covers": (record) => {
        const pair = record.connect();
        for (let read = 0; read < 40; read++) record.read(pair, { status: 500, took: 10 });
      },
      "many records at once": (record) => {
        const pair = record.connect();
        for (let read = 0; read < 40; read++)
          record.read(pair, { operation: "getRoutine", path: `/v1/routines/${read}`, took: 10 });
      },
      "many pages of a list": (record) => {
        const pair = record.connect();
        for (let page = 0; page < 40; page++) {
          record.read(pair, { operation: "listTransfers", query: `page ${page}`, took: 10 });
        }
      },
      "many people at once": (record) => {
        for (let read = 0; read < 40; read++) record.read(record.connect(`person ${read}`), { took: 1 });
      },
    },
  },
};
