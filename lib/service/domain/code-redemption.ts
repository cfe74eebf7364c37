import { codeVerifier } from "../../contract/tokens.ts";
import { isSameSecret, sha256 } from "../../kit/secrets.ts";

/** `codeChallenge` is null when the code was issued without one. */
export type RedeemableCode = {
  redirectUri: string;
  codeChallenge: string | null;
  isExpired: boolean;
  isRedeemed: boolean;
  isRevoked: boolean;
};

export type CodeProof = { redirectUri: string; codeVerifier: string | undefined };

/**
 * `burn` the code; `revoke` its whole authorization, because a valid second use means the code was stolen; or
 * `refuse` without effect. `cause` is the first check that failed. Decision D10
 */
export type Redemption =
  | { kind: "grant" }
  | { kind: "burn"; cause: WrongProof | "code_expired" | "code_revoked" }
  | { kind: "revoke"; cause: "code_proven_twice" }
  | { kind: "refuse"; cause: "code_spent" };

type WrongProof = "redirect_uri_wrong" | "code_verifier_wrong";

export function judgeRedemption(code: RedeemableCode, proof: CodeProof): Redemption {
  const wrong = findWrongProof(code, proof);
  if (code.isRedeemed) {
    return wrong ? { kind: "refuse", cause: "code_spent" } : { kind: "revoke", cause: "code_proven_twice" };
  }
  if (wrong) return { kind: "burn", cause: wrong };
  if (code.isExpired) return { kind: "burn", cause: "code_expired" };
  return code.isRevoked ? { kind: "burn", cause: "code_revoked" } : { kind: "grant" };
}

function findWrongProof({ redirectUri, codeChallenge }: RedeemableCode, proof: CodeProof): WrongProof | undefined {
  if (redirectUri !== proof.redirectUri) return "redirect_uri_wrong";
  return isVerified(codeChallenge, proof.codeVerifier) ? undefined : "code_verifier_wrong";
}

/** RFC 7636 section 4.6, S256 only; a verifier for a code without a challenge is refused (RFC 9700 section 4.8.2). */
function isVerified(codeChallenge: string | null, verifier: string | undefined): boolean {
  if (codeChallenge === null) return verifier === undefined;
  if (verifier === undefined || !codeVerifier.safeParse(verifier).success) return false;
  return isSameSecret(sha256(verifier).toString("base64url"), codeChallenge);
}
