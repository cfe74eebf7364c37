import type { Examples } from "../example-events.ts";

export const examples: Record<string, Examples> = {
  "code-exchanged-once": {
    kept: {
      once: (record) => {
        record.connect();
      },
    },
    broken: {
      "twice at once": (record) => {
        const code = record.authorize();
        record.exchange(code, { isAside: true });
        record.wait(2);
        record.exchange(code, { status: 400 });
      },
      "again on a reload, after the tokens were used": (record) => {
        const code = record.authorize();
        record.read(record.exchange(code));
        record.wait(30_000);
        record.exchange(code, { status: 400 });
      },
      "twice at once, after 503": (record) => {
        const code = record.authorize();
        record.exchange(code, { status: 503, reason: "unavailable" });
        record.wait(2000);
        record.exchange(code, { isAside: true });
        record.wait(5);
        record.exchange(code, { status: 400 });
      },
      "again on a reload, after 503 and use of the tokens": (record) => {
        const code = record.authorize();
        record.exchange(code, { status: 503, reason: "unavailable" });
        record.wait(2000);
        record.read(record.exchange(code));
        record.wait(30_000);
        record.exchange(code, { status: 400 });
      },
      "a refused code, three times": (record) => {
        const code = record.authorize();
        for (let round = 0; round < 3; round++) {
          record.exchange(code, { status: 400 });
          record.wait(2000);
        }
      },
    },
    notSeen: {
      "no exchange": (record) => {
        record.authorize();
      },
      "the only exchange is refused": (record) => {
        record.exchange(record.authorize(), { status: 400 });
      },
    },
    nearMisses: {
      "a retry after 503": (record) => {
        const code = record.authorize();
        record.exchange(code, { status: 503, reason: "unavailable" });
        record.exchange(code);
      },
      "a retry after 500": (record) => {
        const code = record.authorize();
        record.exchange(code, { status: 500, reason: "internal_error" });
        record.exchange(code);
      },
      "three retries during an outage, the second redeems the code": (record) => {
        const code = record.authorize();
        record.exchange(code, { status: 503, reason: "unavailable" });
        record.exchange(code, { status: null });
        record.exchange(code, { status: 500, reason: "internal_error" });
        record.exchange(code, { status: 400 });
      },
      "a retry after a lost answer": (record) => {
        const code = record.authorize();
        record.exchange(code);
        record.wait(10_000);
        record.exchange(code, { status: 400 });
      },
      "two codes at once": (record) => {
        const [first, second] = [record.authorize(), record.authorize()];
        record.exchange(first, { isAside: true });
        record.exchange(second);
      },
    },
  },
  "code-exchanged-in-time": {
    kept: {
      immediately: (record) => {
        record.connect();
      },
    },
    broken: {
      "after six minutes": (record) => {
        const code = record.authorize();
        record.wait(6 * 60_000);
        record.exchange(code, { status: 400 });
      },
      "from a queue, with the clock moved": (record) => {
        const code = record.authorize();
        record.wait(3000);
        record.jump(400);
        record.exchange(code, { status: 400 });
      },
    },
    notSeen: {
      "no exchange": (record) => {
        record.authorize();
      },
      "an unknown code": (record) => {
        record.exchange("code-of-long-ago", { status: 400 });
      },
    },
    nearMisses: {
      "the clock jumps during the redirect back": (record) => {
        const code = record.authorize();
        record.jump(400);
        record.exchange(code, { status: 400 });
      },
      "after four minutes": (record) => {
        const code = record.authorize();
        record.wait(4 * 60_000);
        record.exchange(code);
      },
    },
  },
  "code-same-redirect-uri": {
    kept: {
      "the same URI": (record) => {
        record.connect();
      },
    },
    broken: {
      "another registered URI": (record) => {
        const code = record.authorize();
        record.exchange(code, { status: 400, facts: { redirect_uri: "https://app.example/other" } });
      },
      "no URI": (record) => {
        record.exchange(record.authorize(), { status: 400, facts: { redirect_uri: null } });
      },
    },
    notSeen: {
      "an unknown code": (record) => {
        record.exchange("code-of-long-ago", { status: 400, facts: { redirect_uri: "https://app.example/other" } });
      },
    },
    nearMisses: {
      "two tabs with two addresses": (record) => {
        const other = { redirect_uri: "https://app.example/other" };
        const [first, second] = [record.authorize(), record.authorize(other)];
        record.exchange(second, { facts: other });
        record.exchange(first);
      },
    },
  },
  "code-verifier-sent": {
    kept: {
      sent: (record) => {
        record.connect();
      },
    },
    broken: {
      "missing verifier": (record) => {
        record.exchange(record.authorize(), { status: 400, facts: { code_challenge: null } });
      },
      "the verifier of another visit": (record) => {
        record.exchange(record.authorize(), { status: 400, facts: { code_challenge: "another" } });
      },
    },
    notSeen: {
      "no exchange": (record) => {
        record.authorize();
      },
    },
    nearMisses: {
      "no challenge, so no verifier": (record) => {
        const code = record.authorize({ code_challenge: null, code_challenge_method: null });
        record.exchange(code, { facts: { code_challenge: null } });
      },
    },
  },
};
