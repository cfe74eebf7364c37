import type { Examples } from "../example-events.ts";

const withoutTime = { has_milliseconds: null, is_utc: null };

const withRefusedTime = { problems: ["not_a_customer_record", "lastAuthenticationTime"] };

const withoutBody = { problems: ["TimeoutError"], seconds_ahead: null, ...withoutTime };

const stranger = { probe: "unknown_customer" } as const;

export const examples: Record<string, Examples> = {
  "customer-answered": {
    kept: {
      "200": (record) => {
        record.customer();
      },
    },
    broken: {
      "404 for the client's own customer": (record) => {
        record.customer({ status: 404 });
      },
      "500": (record) => {
        record.customer();
        record.customer({ status: 500 });
      },
      "201": (record) => {
        record.customer();
        record.customer({ status: 201, facts: { problems: ["status_201"], seconds_ahead: null, ...withoutTime } });
      },
      "never a whole body": (record) => {
        record.customer({ facts: withoutBody });
      },
      "the endpoint is never reachable": (record) => {
        record.customer({ status: null, facts: { problems: ["unreachable"] } });
      },
    },
    notSeen: {
      "no request": (record) => {
        record.connect();
      },
    },
    nearMisses: {
      "404 for an unknown customer": (record) => {
        record.customer({ status: 404, facts: { probe: "unknown_customer" } });
      },
      "an outage": (record) => {
        record.customer();
        record.customer({ status: null, facts: { problems: ["unreachable"] } });
        record.customer({ status: 503 });
        record.customer({ facts: withoutBody });
      },
    },
  },
  "customer-within-a-second": {
    kept: {
      fast: (record) => {
        record.customer({ duration_ms: 30 });
      },
    },
    broken: {
      "over a second": (record) => {
        record.customer({ duration_ms: 1400 });
        record.customer({ duration_ms: 1400 });
      },
    },
    notSeen: {
      "no request": (record) => {
        record.connect();
      },
      "only a slow first response": (record) => {
        record.customer({ duration_ms: 2000 });
      },
    },
    nearMisses: {
      "a cold start": (record) => {
        record.customer({ duration_ms: 2000 });
        record.customer({ duration_ms: 30 });
      },
      "a timeout": (record) => {
        record.customer();
        record.customer({ status: null, duration_ms: 5000 });
      },
    },
  },
  "customer-record-whole": {
    kept: {
      "all five fields": (record) => {
        record.customer();
      },
    },
    broken: {
      "no last_name": (record) => {
        record.customer({ facts: { problems: ["not_a_customer_record", "last_name"] } });
      },
      "no lastAuthenticationTime": (record) => {
        record.customer({ facts: { problems: ["not_a_customer_record", "lastAuthenticationTime"], ...withoutTime } });
      },
      "no JSON": (record) => {
        record.customer({ facts: { problems: ["not_json"], ...withoutTime } });
      },
    },
    notSeen: {
      "no request": (record) => {
        record.connect();
      },
      "a body that didn't arrive": (record) => {
        record.customer({ facts: withoutBody });
      },
      "no successful response": (record) => {
        record.customer({ status: 500, facts: { problems: ["status"], ...withoutTime } });
      },
    },
    nearMisses: {
      "a non-UTC time, which another rule covers": (record) => {
        record.customer({ facts: { problems: ["not_a_customer_record", "lastAuthenticationTime"], is_utc: false } });
      },
      "a changed phone number": (record) => {
        record.customer({ facts: { problems: ["phone_differs"] } });
      },
      "an unknown customer": (record) => {
        record.customer({ status: 404, facts: { probe: "unknown_customer", problems: ["status"], ...withoutTime } });
      },
    },
  },
  "customer-time-exact": {
    kept: {
      "milliseconds and Z": (record) => {
        record.customer();
      },
    },
    broken: {
      "whole seconds": (record) => {
        record.customer({ facts: { has_milliseconds: false } });
      },
      "a space instead of the T": (record) => {
        record.customer({ facts: withRefusedTime });
      },
      "an offset": (record) => {
        record.customer({ facts: { is_utc: false } });
      },
    },
    notSeen: {
      "no request": (record) => {
        record.connect();
      },
    },
    nearMisses: {
      "no time at all": (record) => {
        record.customer({ facts: { ...withRefusedTime, ...withoutTime } });
      },
      "no last_name": (record) => {
        record.customer({ facts: { problems: ["not_a_customer_record", "last_name"] } });
      },
    },
  },
  "customer-time-past": {
    kept: {
      "a minute ago": (record) => {
        record.customer();
      },
      "later than real time, by the client's clock": (record) => {
        record.jump(86_400);
        record.customer({ facts: { seconds_ahead: 86_000 } });
      },
    },
    broken: {
      "local time east of Greenwich, written with Z": (record) => {
        record.customer({ facts: { seconds_ahead: 7200 } });
      },
    },
    notSeen: {
      "no request": (record) => {
        record.connect();
      },
      "a refused format, which another rule covers": (record) => {
        record.customer({ facts: withRefusedTime });
      },
      "no time": (record) => {
        record.customer({ facts: { is_utc: null, seconds_ahead: null } });
      },
    },
    nearMisses: {
      "a clock half a minute fast": (record) => {
        record.customer({ facts: { seconds_ahead: 30 } });
      },
      "an offset, which another rule covers": (record) => {
        record.customer({ facts: { is_utc: false, seconds_ahead: 7200 } });
      },
    },
  },
  "customer-matches": {
    kept: {
      "a verification": (record) => {
        record.mint();
      },
    },
    broken: {
      "another phone": (record) => {
        record.call("verifyPartnerIdentity", {}, { status: 403, reason: "customer_mismatch" });
      },
    },
    notSeen: {
      "no verification": (record) => {
        record.customer();
      },
    },
    nearMisses: {
      "the endpoint is down": (record) => {
        record.call("verifyPartnerIdentity", {}, { status: 502, reason: "customer_endpoint_failed" });
      },
      "trusted authentication is off": (record) => {
        record.call("verifyPartnerIdentity", {}, { status: 403, reason: "trusted_authentication_not_enabled" });
      },
    },
  },
  "customer-unknown-not-found": {
    kept: {
      "404": (record) => {
        record.customer({ status: 404, facts: stranger });
      },
    },
    broken: {
      "an empty record": (record) => {
        record.customer({ status: 200, facts: stranger });
      },
      "500": (record) => {
        record.customer({ status: 500, facts: stranger });
      },
    },
    notSeen: {
      "no request for an unknown customer": (record) => {
        record.customer();
      },
      "no answer": (record) => {
        record.customer({ status: null, facts: stranger });
      },
    },
    nearMisses: {
      "404 for the client's own customer, which another rule covers": (record) => {
        record.customer({ status: 404 });
      },
      "503": (record) => {
        record.customer({ status: 503, facts: stranger });
      },
    },
  },
  "customer-secret-required": {
    kept: {
      "401 without credentials": (record) => {
        record.customer({ status: 401, facts: { probe: "no_credentials" } });
      },
      "404 with wrong credentials": (record) => {
        record.customer({ status: 404, facts: { probe: "wrong_credentials" } });
      },
      "403 with wrong credentials": (record) => {
        record.customer({ status: 403, facts: { probe: "wrong_credentials" } });
      },
    },
    broken: {
      "200 without credentials": (record) => {
        record.customer({ status: 200, facts: { probe: "no_credentials" } });
      },
      "200 with wrong credentials": (record) => {
        record.customer({ status: 401, facts: { probe: "no_credentials" } });
        record.customer({ status: 200, facts: { probe: "wrong_credentials" } });
      },
    },
    notSeen: {
      "no probe": (record) => {
        record.customer();
      },
      "500, which reveals nothing": (record) => {
        record.customer({ status: 500, facts: { probe: "no_credentials" } });
      },
    },
    nearMisses: {
      "200 for the service itself": (record) => {
        record.customer({ status: 200 });
      },
    },
  },
};
