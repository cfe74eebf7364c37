import { codeVerifier } from "../../contract/tokens.ts";
import { isSameSecret, sha256 } from "../../kit/secrets.ts";

/** What is known of a code, and whether it was spent before. `codeChallenge` is null when none was bound to it. */
export type RedeemableCode = {
  redirectUri: string;
  codeChallenge: string | null;
  isExpired: boolean;
  isRedeemed: boolean;
  isRevoked: boolean;
};

/** What the client proves with: the redirect_uri it used and the verifier of its challenge, if it sent one. */
export type CodeProof = { redirectUri: string; codeVerifier: string | undefined };

/**
 * What the right client's use of a code leads to: tokens; the code's end without tokens; the end of everything that
 * came from it, because a code that is proven twice has been stolen or copied; or nothing at all. Each but the first with
 * its cause, the first of the things that were wrong. Decision D10
 */
export type Redemption =
  | { kind: "grant" }
  | { kind: "burn"; cause: WrongProof | "code_expired" | "code_revoked" }
  | { kind: "revoke"; cause: "code_proven_twice" }
  | { kind: "refuse"; cause: "code_spent" };

type WrongProof = "redirect_uri_wrong" | "code_verifier_wrong";

/** Judges the right client's use of a code. */
export function judgeRedemption(code: RedeemableCode, proof: CodeProof): Redemption {
  const wrong = wrongIn(code, proof);
  if (code.isRedeemed) {
    return wrong ? { kind: "refuse", cause: "code_spent" } : { kind: "revoke", cause: "code_proven_twice" };
  }
  if (wrong) return { kind: "burn", cause: wrong };
  if (code.isExpired) return { kind: "burn", cause: "code_expired" };
  return code.isRevoked ? { kind: "burn", cause: "code_revoked" } : { kind: "grant" };
}

function wrongIn({ redirectUri, codeChallenge }: RedeemableCode, proof: CodeProof): WrongProof | undefined {
  if (redirectUri !== proof.redirectUri) return "redirect_uri_wrong";
  return isVerified(codeChallenge, proof.codeVerifier) ? undefined : "code_verifier_wrong";
}

/** RFC 7636 section 4.6, S256 only; a verifier for a code without a challenge is refused (RFC 9700 section 4.8.2). */
function isVerified(codeChallenge: string | null, verifier: string | undefined): boolean {
  if (codeChallenge === null) return verifier === undefined;
  if (verifier === undefined || !codeVerifier.safeParse(verifier).success) return false;
  return isSameSecret(sha256(verifier).toString("base64url"), codeChallenge);
}
