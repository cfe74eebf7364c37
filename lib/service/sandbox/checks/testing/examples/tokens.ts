import type { Examples } from "../example-events.ts";

const day = 86_400;

const elevenDays = 11 * 86_400;

export const examples: Record<string, Examples> = {
  "renew-inside-ten-days": {
    kept: {
      "after a week": (record) => {
        const pair = record.connect();
        record.jump(7 * day);
        record.refresh(pair);
      },
    },
    broken: {
      "no refresh after a refusal": (record) => {
        const pair = record.connect();
        record.jump(8 * day);
        record.read(pair, { status: 401 });
        record.wait(11_000);
        record.jump(3 * day);
      },
      "no refresh after a refusal, by a person who disconnected before": (record) => {
        record.call("revokeToken", { revoked_token: record.connect().refresh });
        record.wait(20_000);
        const pair = record.connect();
        record.jump(8 * day);
        record.read(pair, { status: 401 });
        record.wait(11_000);
        record.jump(3 * day);
      },
      "no refresh after a refusal, with only the superseded access token revoked": (record) => {
        const old = record.connect();
        const pair = record.refresh(old);
        record.call("revokeToken", { revoked_token: old.access });
        record.wait(5000);
        record.read(pair);
        record.jump(8 * day);
        record.read(pair, { status: 401 });
        record.wait(11_000);
        record.jump(3 * day);
      },
      "a refresh too late after a refusal": (record) => {
        const pair = record.connect();
        record.jump(8 * day);
        record.read(pair, { status: 401 });
        record.wait(11_000);
        record.jump(3 * day);
        record.refresh(pair, { status: 400 });
        record.connect();
      },
      "ten real days": (record) => {
        const pair = record.connect();
        record.wait(10 * day * 1000);
        record.read(pair, { status: 401 });
      },
    },
    notSeen: {
      "a recent pair": (record) => {
        record.read(record.connect());
      },
      "a refresh after a week that fails": (record) => {
        const pair = record.connect();
        record.jump(7 * day);
        record.refresh(pair, { status: 503, reason: "unavailable" });
      },
      "a refresh after a refusal": (record) => {
        const pair = record.connect();
        record.jump(2 * day);
        record.read(pair, { status: 401 });
        record.refresh(pair);
      },
    },
    nearMisses: {
      "tokens that the service revoked": (record) => {
        const pair = record.connect();
        record.control("revokeSandboxTokens");
        record.read(pair, { status: 401, reason: "invalid_token" });
        record.wait(20_000);
        record.jump(11 * day);
      },
      "ten real days after the service revoked the tokens": (record) => {
        const pair = record.connect();
        record.wait(day * 1000);
        record.control("revokeSandboxTokens");
        record.read(pair, { status: 401, reason: "invalid_token" });
        record.wait(10 * day * 1000);
        record.control("advanceSandboxClock");
      },
      "a jump past all ten days": (record) => {
        const pair = record.connect();
        record.jump(11 * day);
        record.read(pair, { status: 401 });
        record.wait(60_000);
      },
      "a second jump before the client could react": (record) => {
        const pair = record.connect();
        record.jump(8 * day);
        record.read(pair, { status: 401 });
        record.wait(500);
        record.jump(3 * day);
      },
      "a revoked pair": (record) => {
        const pair = record.connect();
        record.jump(day);
        record.read(pair, { status: 401 });
        record.call("revokeToken", { revoked_token: pair.refresh });
        record.wait(20_000);
        record.jump(20 * day);
      },
      "a pair that was deleted after revoking its expired access token": (record) => {
        const pair = record.connect();
        record.jump(day);
        record.read(pair, { status: 401 });
        record.call("revokeToken", { revoked_token: pair.access });
        record.wait(20_000);
        record.jump(20 * day);
      },
      "the token endpoint was down": (record) => {
        const pair = record.connect();
        record.jump(8 * day);
        record.read(pair, { status: 401 });
        record.refresh(pair, { status: 503, reason: "unavailable" });
        record.wait(20_000);
        record.jump(3 * day);
      },
    },
  },
  "expired-refresh-token": {
    kept: {
      "refused once, then a new authorization": (record) => {
        const pair = record.connect();
        record.jump(elevenDays);
        record.refresh(pair, { status: 400 });
        record.wait(60_000);
        record.connect();
      },
    },
    broken: {
      "the same dead token repeatedly": (record) => {
        const pair = record.connect();
        record.jump(elevenDays);
        for (let round = 0; round < 3; round++) {
          record.refresh(pair, { status: 400 });
          record.wait(1500);
        }
      },
    },
    notSeen: {
      "no refresh is refused": (record) => {
        record.refresh(record.connect());
      },
      "the person isn't back yet": (record) => {
        const pair = record.connect();
        record.jump(elevenDays);
        record.refresh(pair, { status: 400 });
        record.wait(60_000);
      },
    },
    nearMisses: {
      "three processes at once": (record) => {
        const pair = record.connect();
        record.jump(elevenDays);
        for (let round = 0; round < 3; round++) record.refresh(pair, { status: 400, isAside: true });
      },
      "a retry after a lost answer": (record) => {
        const pair = record.connect();
        record.jump(elevenDays);
        record.refresh(pair, { status: 400 });
        record.wait(30_000);
        record.refresh(pair, { status: 400 });
      },
      "the token endpoint is down": (record) => {
        const pair = record.connect();
        for (let round = 0; round < 5; round++) {
          record.refresh(pair, { status: 503, reason: "unavailable" });
          record.wait(5000);
        }
      },
      "three users": (record) => {
        const pairs = ["ada", "grace", "mary"].map((user) => record.connect(user));
        record.jump(elevenDays);
        for (const pair of pairs) {
          record.refresh(pair, { status: 400 });
          record.wait(3000);
        }
      },
    },
  },
  "nothing-after-revocation": {
    kept: {
      "no further use": (record) => {
        const pair = record.connect();
        record.call("revokeToken", { revoked_token: pair.refresh });
      },
      "a new authorization": (record) => {
        const pair = record.connect();
        record.call("revokeToken", { revoked_token: pair.access });
        record.wait(5000);
        record.read(record.connect());
      },
    },
    broken: {
      "a job keeps using the access token": (record) => {
        const pair = record.connect();
        record.call("revokeToken", { revoked_token: pair.refresh });
        record.wait(2500);
        record.read(pair, { status: 401, reason: "invalid_token" });
      },
      "a job refreshes": (record) => {
        const pair = record.connect();
        record.call("revokeToken", { revoked_token: pair.refresh });
        record.wait(2500);
        record.refresh(pair, { status: 400 });
      },
      "a job keeps using the access token after a call in flight that still succeeded": (record) => {
        const pair = record.connect();
        record.call("revokeToken", { revoked_token: pair.refresh });
        record.wait(100);
        record.read(pair);
        record.wait(2500);
        record.read(pair, { status: 401, reason: "invalid_token" });
      },
      "a job refreshes after both tokens were revoked, the access token too late": (record) => {
        const pair = record.connect();
        record.jump(7300);
        record.call("revokeToken", { revoked_token: pair.access });
        record.call("revokeToken", { revoked_token: pair.refresh });
        record.wait(2500);
        record.refresh(pair, { status: 400 });
      },
      "a job keeps using the new pair after the old refresh token was revoked": (record) => {
        const old = record.connect();
        const pair = record.refresh(old);
        record.call("revokeToken", { revoked_token: old.refresh });
        record.wait(2500);
        record.read(pair, { status: 401, reason: "invalid_token" });
      },
    },
    notSeen: {
      "no revocation": (record) => {
        record.read(record.connect());
      },
      "a refused revocation": (record) => {
        const pair = record.connect();
        record.call("revokeToken", { revoked_token: pair.refresh }, { status: 503 });
        record.wait(2500);
        record.read(pair);
      },
    },
    nearMisses: {
      "a pair issued while the revocation was slow, and refused": (record) => {
        const pair = record.connect();
        record.call("revokeToken", { revoked_token: pair.refresh }, { took: 20_000, isAside: true });
        record.wait(12_000);
        const next = record.connect();
        record.wait(12_000);
        record.read(next, { status: 401, reason: "invalid_token" });
      },
      "a call already in flight": (record) => {
        const pair = record.connect();
        record.call("revokeToken", { revoked_token: pair.refresh });
        record.wait(100);
        record.read(pair, { status: 401, reason: "invalid_token" });
      },
      "another user": (record) => {
        const [ada, grace] = [record.connect("ada"), record.connect("grace")];
        record.call("revokeToken", { revoked_token: ada.refresh });
        record.wait(5000);
        record.read(grace);
      },
      "a repeated revocation": (record) => {
        const pair = record.connect();
        record.call("revokeToken", { revoked_token: pair.refresh });
        record.wait(5000);
        record.call("revokeToken", { revoked_token: pair.refresh });
      },
      "a superseded access token was revoked": (record) => {
        const old = record.connect();
        const pair = record.refresh(old);
        record.call("revokeToken", { revoked_token: old.access });
        record.wait(5000);
        record.control("revokeSandboxTokens");
        record.read(pair, { status: 401, reason: "invalid_token" });
      },
      "an expired refresh token was revoked": (record) => {
        const old = record.connect();
        record.jump(elevenDays);
        const pair = record.connect();
        record.call("revokeToken", { revoked_token: old.refresh });
        record.wait(5000);
        record.control("revokeSandboxTokens");
        record.read(pair, { status: 401, reason: "invalid_token" });
      },
      "an expired access token was revoked": (record) => {
        const pair = record.connect();
        record.jump(7300);
        record.call("revokeToken", { revoked_token: pair.access });
        record.wait(5000);
        record.refresh(pair, { status: 503, reason: "temporarily_unavailable" });
      },
      "a refresh token was revoked again after a new authorization": (record) => {
        const old = record.connect();
        record.call("revokeToken", { revoked_token: old.refresh });
        const pair = record.connect();
        record.call("revokeToken", { revoked_token: old.refresh });
        record.wait(5000);
        record.control("revokeSandboxTokens");
        record.read(pair, { status: 401, reason: "invalid_token" });
      },
      "a refresh token that the service had ended was revoked": (record) => {
        const old = record.connect();
        record.control("expireSandboxTokens");
        const pair = record.connect();
        record.call("revokeToken", { revoked_token: old.refresh });
        record.wait(5000);
        record.read(pair);
      },
    },
  },
  "revoke-on-disconnect": {
    kept: {
      revoked: (record) => {
        const pair = record.connect();
        record.call("revokeToken", { revoked_token: pair.refresh });
      },
    },
    broken: {
      "reconnected while the old pair was alive": (record) => {
        const pair = record.connect();
        record.read(pair);
        record.wait(60_000);
        record.connect();
      },
    },
    notSeen: {
      "no disconnect": (record) => {
        record.read(record.connect());
      },
    },
    nearMisses: {
      "reauthorized after expiry": (record) => {
        const pair = record.connect();
        record.read(pair);
        record.jump(7300);
        record.connect();
      },
      "reauthorized after invalid_token": (record) => {
        const pair = record.connect();
        record.read(pair, { status: 401, reason: "invalid_token" });
        record.connect();
      },
      "reauthorized after a refused refresh": (record) => {
        const pair = record.connect();
        record.read(pair);
        record.refresh(pair, { status: 400 });
        record.connect();
      },
      "a clock reset, which ends every authorization": (record) => {
        const pair = record.connect();
        record.read(pair);
        record.control("resetSandboxClock");
        record.connect();
      },
      "the first exchange's answer was lost": (record) => {
        record.connect();
        record.wait(20_000);
        record.connect();
      },
      "two tabs": (record) => {
        const [first, second] = [record.authorize(), record.authorize()];
        record.read(record.exchange(first));
        record.exchange(second);
      },
    },
  },
  "no-credentials-in-addresses": {
    kept: {
      "in the header": (record) => {
        record.read(record.connect());
      },
    },
    broken: {
      "in the query": (record) => {
        record.call("listAccounts", { authorization: "bearer", has_credential_in_url: true });
      },
      "only in the query": (record) => {
        record.call("listAccounts", { has_credential_in_url: true }, { status: 401, reason: "missing_token" });
      },
      "in a visit's URL": (record) => {
        record.open({ session_token: record.mint(), has_credential_in_url: true });
      },
    },
    notSeen: {
      "no calls": () => {},
      "calls without credentials": (record) => {
        record.call("describeAuthorizationServer");
      },
    },
    nearMisses: {
      "a session token in a visit's URL, as published": (record) => {
        record.open({ session_token: record.mint() });
      },
    },
  },
};
