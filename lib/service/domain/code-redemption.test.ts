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
    ["fresh and proven", {}, {}, { kind: "grant" }],
    ["fresh, no challenge and no verifier", { codeChallenge: null }, { codeVerifier: undefined }, { kind: "grant" }],
    ["expired", { isExpired: true }, {}, { kind: "burn", cause: "code_expired" }],
    ["of a revoked authorization", { isRevoked: true }, {}, { kind: "burn", cause: "code_revoked" }],
    ["with a wrong verifier", {}, { codeVerifier: "w".repeat(43) }, { kind: "burn", cause: "code_verifier_wrong" }],
    ["without its verifier", {}, { codeVerifier: undefined }, { kind: "burn", cause: "code_verifier_wrong" }],
    ["with a verifier but no challenge", { codeChallenge: null }, {}, { kind: "burn", cause: "code_verifier_wrong" }],
    [
      "with the challenge as the verifier",
      {},
      { codeVerifier: challengeOf(verifier) },
      { kind: "burn", cause: "code_verifier_wrong" },
    ],
    [
      "with another redirect_uri",
      {},
      { redirectUri: `${redirectUri}/` },
      { kind: "burn", cause: "redirect_uri_wrong" },
    ],
    [
      "with redirect_uri in another case",
      {},
      { redirectUri: redirectUri.toUpperCase() },
      { kind: "burn", cause: "redirect_uri_wrong" },
    ],
    ["spent, and proven again", { isRedeemed: true }, {}, { kind: "revoke", cause: "code_proven_twice" }],
    [
      "spent, and proven again after it expired",
      { isRedeemed: true, isExpired: true },
      {},
      { kind: "revoke", cause: "code_proven_twice" },
    ],
    [
      "spent, and replayed with a wrong verifier",
      { isRedeemed: true },
      { codeVerifier: "w".repeat(43) },
      { kind: "refuse", cause: "code_spent" },
    ],
    [
      "spent, and replayed with another redirect_uri",
      { isRedeemed: true },
      { redirectUri: "x" },
      { kind: "refuse", cause: "code_spent" },
    ],
  ])("%s", (_, code, proof, verdict) => {
    expect(judgeRedemption({ ...fresh, ...code }, { ...right, ...proof })).toEqual(verdict);
  });

  test.each([
    ["42 characters", "v".repeat(42)],
    ["129 characters", "v".repeat(129)],
    ["a bad character", `${"v".repeat(42)}!`],
    ["a trailing newline", `${"v".repeat(43)}\n`],
  ])("burns it when the verifier has %s, even if its hash matches", (_, codeVerifier) => {
    const code = { ...fresh, codeChallenge: challengeOf(codeVerifier) };
    expect(judgeRedemption(code, { redirectUri, codeVerifier })).toEqual({
      kind: "burn",
      cause: "code_verifier_wrong",
    });
  });

  test("accepts a verifier of 128 characters", () => {
    const codeVerifier = "~".repeat(128);
    const code = { ...fresh, codeChallenge: challengeOf(codeVerifier) };
    expect(judgeRedemption(code, { redirectUri, codeVerifier })).toEqual({ kind: "grant" });
  });
});
