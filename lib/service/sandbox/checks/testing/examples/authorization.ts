import type { Examples } from "../example-events.ts";

const ofIntent = { named_people: ["user_intent_id"] };

export const examples: Record<string, Examples> = {
  "state-present": {
    kept: {
      present: (record) => {
        record.open();
      },
    },
    broken: {
      missing: (record) => {
        record.open({ state: null, state_length: 0 });
      },
    },
    notSeen: {
      "no visit": (record) => {
        record.mint();
      },
    },
    nearMisses: {
      "a person types part of the URL": (record) => {
        record.visit("refused", { cause: "session_token_unknown" });
      },
    },
  },
  "state-unguessable": {
    kept: {
      "long and random": (record) => {
        record.open();
      },
    },
    broken: {
      "a counter": (record) => {
        record.open({ state: "7", state_length: 1 });
      },
      "one character too short": (record) => {
        record.open({ state: "short", state_length: 15 });
      },
    },
    notSeen: {
      "no visit": (record) => {
        record.mint();
      },
      "no state": (record) => {
        record.open({ state: null, state_length: 0 });
      },
    },
    nearMisses: {
      "just long enough": (record) => {
        record.open({ state: "sixteen", state_length: 16 });
      },
    },
  },
  "state-never-repeated": {
    kept: {
      "a new state per visit": (record) => {
        record.open();
        record.open();
      },
    },
    broken: {
      "the same for two people": (record) => {
        record.open({ state: "constant", user_id: "ada" });
        record.open({ state: "constant", user_id: "grace" });
      },
      "the same with another session token": (record) => {
        record.open({ state: "constant", code_challenge: "c", session_token: record.mint() });
        record.open({ state: "constant", code_challenge: "c", session_token: record.mint() });
      },
    },
    notSeen: {
      "no visit": (record) => {
        record.mint();
      },
    },
    nearMisses: {
      "a reload": (record) => {
        const { visit } = record.open({ user_id: "ada" });
        record.open(visit.facts);
      },
      "a refused reload": (record) => {
        const { visit } = record.open({ session_token: record.mint() });
        record.visit("refused", { ...visit.facts, cause: "session_token_spent" });
      },
    },
  },
  "challenge-s256": {
    kept: {
      S256: (record) => {
        record.open();
      },
    },
    broken: {
      "no challenge": (record) => {
        record.open({ code_challenge: null, code_challenge_method: null });
      },
      "the plain method, refused by the service": (record) => {
        record.visit("sent_back", { code_challenge: "c", code_challenge_method: "plain", error: "invalid_request" });
      },
    },
    notSeen: {
      "no visit": (record) => {
        record.mint();
      },
    },
    nearMisses: {
      "a person types part of the URL": (record) => {
        record.visit("refused", { cause: "session_token_unknown" });
      },
    },
  },
  "challenge-never-repeated": {
    kept: {
      "a new challenge per visit": (record) => {
        record.open();
        record.open();
      },
    },
    broken: {
      "a constant verifier": (record) => {
        record.open({ code_challenge: "constant" });
        record.open({ code_challenge: "constant" });
      },
    },
    notSeen: {
      "no challenge": (record) => {
        record.open({ code_challenge: null, code_challenge_method: null });
      },
    },
    nearMisses: {
      "a reload": (record) => {
        const { visit } = record.open({ user_id: "ada" });
        record.open(visit.facts);
      },
    },
  },
  "one-person-named": {
    kept: {
      "a user": (record) => {
        record.mint({ named_people: ["user_id"], body: "b" });
      },
      "an intent": (record) => {
        record.mint({ named_people: ["user_intent_id"], body: "b" });
      },
    },
    broken: {
      both: (record) => {
        const facts = { named_people: ["user_id", "user_intent_id"], body: "b" };
        record.call("verifyPartnerIdentity", facts, { status: 400, reason: "validation_failed" });
      },
      neither: (record) => {
        record.call("verifyPartnerIdentity", { body: "b" }, { status: 400, reason: "validation_failed" });
      },
    },
    notSeen: {
      "no verification": (record) => {
        record.read(record.connect());
      },
    },
    nearMisses: {
      "an unparsable body": (record) => {
        record.call("verifyPartnerIdentity", { body: null }, { status: 400, reason: "invalid_json" });
      },
    },
  },
  "visit-names-the-person": {
    kept: {
      "the token's intent": (record) => {
        const session_token = record.mint(ofIntent, { joins: ["intent:i1"] });
        record.open({ session_token, user_intent_id: "i1" });
      },
    },
    broken: {
      "no intent": (record) => {
        const session_token = record.mint(ofIntent, { joins: ["intent:i1"] });
        record.visit("refused", { session_token });
      },
      "another intent": (record) => {
        const session_token = record.mint(ofIntent, { joins: ["intent:i1"] });
        record.visit("refused", { session_token, user_intent_id: "i2" });
      },
    },
    notSeen: {
      "only tokens of users": (record) => {
        record.open({ session_token: record.mint() });
      },
    },
    nearMisses: {
      "a user's token without the optional user_id": (record) => {
        record.open({ session_token: record.mint(), user_id: null });
      },
      "two people at once": (record) => {
        const first = record.mint(ofIntent, { joins: ["intent:i1"] });
        const second = record.mint(ofIntent, { joins: ["intent:i2"] });
        record.open({ session_token: second, user_intent_id: "i2" });
        record.open({ session_token: first, user_intent_id: "i1" });
      },
    },
  },
  "session-token-present": {
    kept: {
      "a token": (record) => {
        record.open({ session_token: record.mint() });
      },
    },
    broken: {
      "a visit without one": (record) => {
        record.open({ session_token: null });
      },
    },
    notSeen: {
      "no visit": (record) => {
        record.mint();
      },
    },
    nearMisses: {
      "a person types part of the URL": (record) => {
        record.visit("sent_back", { error: "invalid_request" });
      },
    },
  },
  "session-token-per-visit": {
    kept: {
      "a token per visit": (record) => {
        record.open({ session_token: record.mint() });
        record.open({ session_token: record.mint() });
      },
    },
    broken: {
      "reused for the next visit": (record) => {
        const session_token = record.mint();
        record.open({ session_token });
        record.wait(5000);
        record.visit("refused", { session_token, state: "another", cause: "session_token_spent" });
      },
    },
    notSeen: {
      "no visit": (record) => {
        record.mint();
      },
      "a client without trusted authentication": (record) => {
        record.open({ session_token: null });
      },
    },
    nearMisses: {
      "a person goes back and forward": (record) => {
        const { visit } = record.open({ session_token: record.mint() });
        record.visit("refused", { ...visit.facts, cause: "session_token_spent" });
        record.visit("refused", { ...visit.facts, cause: "session_token_spent" });
      },
    },
  },
  "session-token-in-time": {
    kept: {
      immediately: (record) => {
        record.open({ session_token: record.mint() });
      },
    },
    broken: {
      "from a link rendered two minutes ago": (record) => {
        const session_token = record.mint();
        record.wait(120_000);
        record.visit("refused", { session_token, cause: "session_token_expired" });
      },
    },
    notSeen: {
      "no visit": (record) => {
        record.mint();
      },
      "an unknown token": (record) => {
        record.visit("refused", { session_token: "session-of-long-ago", cause: "session_token_unknown" });
      },
    },
    nearMisses: {
      "a reload after two minutes": (record) => {
        const { visit } = record.open({ session_token: record.mint() });
        record.wait(120_000);
        record.visit("refused", { ...visit.facts, cause: "session_token_spent" });
      },
      "the clock jumps during the redirect": (record) => {
        const session_token = record.mint();
        record.jump(90);
        record.visit("refused", { session_token, cause: "session_token_expired" });
      },
    },
  },
  "denied-consent-ends": {
    kept: {
      "no further activity": (record) => {
        const { visit, visitId } = record.open({ user_id: "ada" });
        record.visit("cancelled", visit.facts, visitId);
      },
      "the person tries again": (record) => {
        const { visit, visitId } = record.open({ user_id: "ada" });
        record.visit("cancelled", visit.facts, visitId);
        record.wait(4000);
        record.connect("ada");
      },
    },
    broken: {
      "an exchange without a code": (record) => {
        const { visit, visitId } = record.open({ user_id: "ada" });
        record.visit("cancelled", visit.facts, visitId);
        record.exchange(null, { status: 400 });
      },
      "an exchange of the string undefined": (record) => {
        const { visit, visitId } = record.open({ user_id: "ada" });
        record.visit("cancelled", visit.facts, visitId);
        record.exchange("undefined", { status: 400 });
      },
      "an immediate redirect each time": (record) => {
        for (let round = 0; round < 3; round++) {
          const { visit, visitId } = record.open({ user_id: "ada" });
          record.wait(3000);
          record.visit("cancelled", visit.facts, visitId);
          record.wait(100);
        }
        record.open({ user_id: "ada" });
      },
      "an exchange of an unknown code by a new client": (record) => {
        record.control("advanceSandboxClock").id = "4711";
        const { visit, visitId } = record.open({ user_id: "ada" });
        record.visit("cancelled", visit.facts, visitId);
        record.exchange("undefined", { status: 400 });
      },
    },
    notSeen: {
      "no denial": (record) => {
        record.connect();
      },
    },
    nearMisses: {
      "an exchange from another tab": (record) => {
        const code = record.authorize({ user_id: "ada" });
        const { visit, visitId } = record.open({ user_id: "ada" });
        record.visit("cancelled", visit.facts, visitId);
        record.exchange(code);
      },
      "other people arrive at the same time": (record) => {
        for (let round = 0; round < 3; round++) {
          const { visit, visitId } = record.open({ user_id: `person ${round}` });
          record.visit("cancelled", visit.facts, visitId);
        }
      },
      "the service's clock steps back": (record) => {
        for (let round = 0; round < 3; round++) {
          const { visit, visitId } = record.open({ user_id: "ada" });
          record.wait(-50);
          record.visit("cancelled", visit.facts, visitId);
          record.wait(3000);
        }
      },
      "a script that cancels three times without a pause": (record) => {
        for (let round = 0; round < 3; round++) {
          const { visit, visitId } = record.open({ user_id: "ada" });
          record.visit("cancelled", visit.facts, visitId);
        }
      },
      "an exchange of a code from before the record": (record) => {
        const { visit, visitId } = record.open({ user_id: "ada" });
        record.visit("cancelled", visit.facts, visitId);
        record.exchange("code-of-long-ago");
      },
      "one quick retry by the person": (record) => {
        const { visit, visitId } = record.open({ user_id: "ada" });
        record.visit("cancelled", visit.facts, visitId);
        record.wait(300);
        record.connect("ada");
      },
    },
  },
};
