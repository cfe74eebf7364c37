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
 * came from it, because a code that is proven twice has been stolen or copied; or nothing at all. Decision D10
 */
export function judgeRedemption(code: RedeemableCode, proof: CodeProof): "grant" | "burn" | "revoke" | "refuse" {
  const isProven = code.redirectUri === proof.redirectUri && isVerified(code.codeChallenge, proof.codeVerifier);
  if (code.isRedeemed) return isProven ? "revoke" : "refuse";
  return isProven && !code.isExpired && !code.isRevoked ? "grant" : "burn";
}

/** RFC 7636 section 4.6, S256 only; a verifier for a code without a challenge is refused (RFC 9700 section 4.8.2). */
function isVerified(codeChallenge: string | null, verifier: string | undefined): boolean {
  if (codeChallenge === null) return verifier === undefined;
  if (verifier === undefined || !codeVerifier.safeParse(verifier).success) return false;
  return isSameSecret(sha256(verifier).toString("base64url"), codeChallenge);
}
