import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { judgeRedemption } from "./code-redemption.ts";

const verifier = "v".repeat(43);
const redirectUri = "https://partner.example/callback";
const fresh = {
  redirectUri,
  codeChallenge: challengeOf(verifier),
  isExpired: false,
  isRedeemed: false,
  isRevoked: false,
};
const right = { redirectUri, codeVerifier: verifier };

function challengeOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

describe("the right client's use of a code", () => {
  test.each([
    ["fresh and proven", {}, {}, "grant"],
    ["fresh, no challenge and no verifier", { codeChallenge: null }, { codeVerifier: undefined }, "grant"],
    ["expired", { isExpired: true }, {}, "burn"],
    ["of a revoked authorization", { isRevoked: true }, {}, "burn"],
    ["with a wrong verifier", {}, { codeVerifier: "w".repeat(43) }, "burn"],
    ["without its verifier", {}, { codeVerifier: undefined }, "burn"],
    ["with a verifier for no challenge", { codeChallenge: null }, {}, "burn"],
    ["with the challenge for a verifier", {}, { codeVerifier: challengeOf(verifier) }, "burn"],
    ["with another redirect_uri", {}, { redirectUri: `${redirectUri}/` }, "burn"],
    ["with redirect_uri in another case", {}, { redirectUri: redirectUri.toUpperCase() }, "burn"],
    ["spent, and proven again", { isRedeemed: true }, {}, "revoke"],
    ["spent, and proven again after it expired", { isRedeemed: true, isExpired: true }, {}, "revoke"],
    ["spent, and replayed with a wrong verifier", { isRedeemed: true }, { codeVerifier: "w".repeat(43) }, "refuse"],
    ["spent, and replayed with another redirect_uri", { isRedeemed: true }, { redirectUri: "x" }, "refuse"],
  ])("%s", (_, code, proof, verdict) => {
    expect(judgeRedemption({ ...fresh, ...code }, { ...right, ...proof })).toBe(verdict);
  });

  test.each([
    ["42 characters", "v".repeat(42)],
    ["129 characters", "v".repeat(129)],
    ["a bad character", `${"v".repeat(42)}!`],
    ["a trailing newline", `${"v".repeat(43)}\n`],
  ])("burns it when the verifier has %s, though its hash fits", (_, codeVerifier) => {
    const code = { ...fresh, codeChallenge: challengeOf(codeVerifier) };
    expect(judgeRedemption(code, { redirectUri, codeVerifier })).toBe("burn");
  });

  test("takes a verifier of 128 characters", () => {
    const codeVerifier = "~".repeat(128);
    const code = { ...fresh, codeChallenge: challengeOf(codeVerifier) };
    expect(judgeRedemption(code, { redirectUri, codeVerifier })).toBe("grant");
  });
});
