import type { RejectionReason } from "../../contract/people.ts";
import type { ScreeningDecision } from "../providers.ts";

/**
 * Stands where a real screening provider would: decides by the last four digits of the ssn (Decision D8). undefined when
 * somebody must decide by hand.
 */
export async function screenIdentity({ ssn }: { ssn: string }): Promise<ScreeningDecision | undefined> {
  switch (ssn.slice(-4)) {
    case "0001":
      return { status: "rejected", rejectionReasons: [identityNotVerified] };
    case "0002":
      return undefined;
    case "0003":
      return { status: "retry", rejectionReasons: [] };
    case "0004":
      return { status: "document", rejectionReasons: [] };
    default:
      return { status: "approved", rejectionReasons: [] };
  }
}

/** The same for the corrected details of a retry, of which there is only one: what would ask for another is a rejection. */
export async function screenCorrection(corrected: { ssn: string }): Promise<ScreeningDecision | undefined> {
  const result = await screenIdentity(corrected);
  return result?.status === "retry" ? { status: "rejected", rejectionReasons: [identityNotVerified] } : result;
}

/** Stands where somebody would look at a photo ID: a sandbox approves whatever could be uploaded and decrypted. Decision D8 */
export async function screenPhotoId(_photo: Uint8Array): Promise<ScreeningDecision | undefined> {
  return { status: "approved", rejectionReasons: [] };
}

const identityNotVerified: RejectionReason = {
  code: "identity_not_verified",
  message: "The identity could not be verified with the details given.",
};
