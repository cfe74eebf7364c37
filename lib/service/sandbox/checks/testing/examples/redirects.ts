import type { Examples } from "../example-events.ts";

export const examples: Record<string, Examples> = {
  "state-checked": {
    kept: {
      "not exchanged": (record) => {
        record.authorize({ foreign: "state" });
        record.wait(10_000);
      },
      "connected on the second try": (record) => {
        record.authorize({ foreign: "state" });
        record.connect();
      },
    },
    broken: {
      exchanged: (record) => {
        record.exchange(record.authorize({ foreign: "state" }));
      },
      "exchanged and refused": (record) => {
        record.exchange(record.authorize({ foreign: "state" }), { status: 400 });
      },
    },
    notSeen: {
      "its own state": (record) => {
        record.connect();
      },
    },
    nearMisses: {
      "another visit's code": (record) => {
        const code = record.authorize();
        record.authorize({ foreign: "state" });
        record.exchange(code);
      },
      "another issuer": (record) => {
        record.exchange(record.authorize({ foreign: "issuer" }));
      },
    },
  },
  "issuer-checked": {
    kept: {
      "not exchanged": (record) => {
        record.authorize({ foreign: "issuer" });
        record.wait(10_000);
      },
    },
    broken: {
      exchanged: (record) => {
        record.exchange(record.authorize({ foreign: "issuer" }));
      },
    },
    notSeen: {
      "its own issuer": (record) => {
        record.connect();
      },
    },
    nearMisses: {
      "another state": (record) => {
        record.exchange(record.authorize({ foreign: "state" }));
      },
    },
  },
  "expected-person": {
    kept: {
      "read and dropped": (record) => {
        const business = record.connect("business");
        const pair = record.exchange(record.authorize({ foreign: "person" }), { user: "business" });
        record.read(pair, { operation: "readUser" });
        record.read(business, { status: 401 });
        record.read(record.refresh(business));
      },
      "read and dropped, before the business has connected": (record) => {
        const pair = record.exchange(record.authorize({ foreign: "person" }), { user: "business" });
        record.read(pair, { operation: "readUser" });
        record.connect("business");
      },
    },
    broken: {
      "used for accounts": (record) => {
        const pair = record.exchange(record.authorize({ foreign: "person" }), { user: "business" });
        record.read(pair, { operation: "readUser" });
        record.read(pair);
      },
      refreshed: (record) => {
        record.refresh(record.exchange(record.authorize({ foreign: "person" }), { user: "business" }));
      },
    },
    notSeen: {
      "not exchanged": (record) => {
        record.authorize({ foreign: "person" });
      },
      "the exchange is refused": (record) => {
        record.exchange(record.authorize({ foreign: "person" }), { status: 400 });
      },
      "the right person": (record) => {
        record.read(record.connect());
      },
    },
    nearMisses: {
      "dropped unread": (record) => {
        record.exchange(record.authorize({ foreign: "person" }), { user: "business" });
        record.wait(10_000);
      },
      revoked: (record) => {
        const pair = record.exchange(record.authorize({ foreign: "person" }), { user: "business" });
        record.read(pair, { operation: "readUser" });
        record.call("revokeToken", { revoked_token: pair.refresh });
      },
    },
  },
};
