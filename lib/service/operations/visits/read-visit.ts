import { limits } from "../../../contract/limits.ts";
import type { RejectionReason } from "../../../contract/people.ts";
import { uuid } from "../../../contract/text.ts";
import { inCellOfId } from "../../cells.ts";
import { kindOfProblem, type SubmissionProblem } from "../../domain/identity-submission.ts";
import { findVisitCodeStatus } from "../../storage/authorizations.ts";
import { database } from "../../storage/database.ts";
import { findVisitByKey, findVisitRedirectUri, type Visit, type VisitKey } from "../../storage/visits.ts";
import { accessDeniedUrl } from "./finish-visit.ts";
import { areTextsUsedUp, isPhoneBlocked } from "./verify-code.ts";

export type { VisitKey } from "../../storage/visits.ts";

/** Read from the row, so that reloads and other tabs agree. */
export type VisitView =
  | { kind: "unknown" }
  | { kind: "withdrawn"; clientName: string }
  /** The client has its answer. */
  | { kind: "finished"; clientName: string }
  /** The code is live and unspent, so authorizing again delivers a new one. */
  | { kind: "authorized"; clientName: string }
  | { kind: "cancelled" | "expired"; clientName: string; returnTo: string }
  | {
      kind: "verification_code";
      clientName: string;
      maskedPhone: string;
      problem: VerificationProblem | undefined;
      tries: number;
      isResent: boolean;
      resendSeconds: number;
      /** False if this phone is blocked or out of texts. */
      canResend: boolean;
      /** False if the phone was blocked or out of texts on arrival. */
      isCodeSent: boolean;
    }
  | {
      kind: "consent";
      clientId: string;
      clientName: string;
      redirectHost: string;
      personName: string;
      maskedPhone: string;
      maskedEmail: string;
      isBusiness: boolean;
      /** A submission is still being screened. Consent doesn't have to wait for it. */
      isBeingChecked: boolean;
    }
  | { kind: "retry" | "document"; clientName: string; problems: SubmissionProblem[] }
  | { kind: "not_permitted"; clientName: string; status: "rejected" | "suspended"; reasons: RejectionReason[] };

/** `triesLeft` counts down to 1; then the code is used up. */
export type VerificationProblem =
  | { kind: "wrong_code"; triesLeft: number }
  | { kind: "code_used_up" }
  | { kind: "code_expired" }
  | { kind: "code_not_sent" }
  | { kind: "texts_used_up" }
  | { kind: "phone_blocked" };

export function readVisit(key: VisitKey): Promise<VisitView> {
  return inCellOfId(key.visitId, () => readVisitOfCell(key));
}

async function readVisitOfCell(key: VisitKey): Promise<VisitView> {
  const visit = await findVisitByKey(key);
  if (!visit) return { kind: "unknown" };
  const { clientName, status } = visit;
  if (visit.step === "withdrawn") return { kind: "withdrawn", clientName };
  if (visit.step === "finished") return readFinishedVisit(visit);
  if (visit.isExpired) return { kind: "expired", clientName, returnTo: accessDeniedUrl(visit, "The visit expired.") };
  const maskedPhone = maskPhone(visit.phone);
  if (visit.step === "verification_code") {
    const { verificationCodeTries: tries, isVerificationCodeResent: isResent, resendSeconds } = visit;
    const areUsedUp = await areTextsUsedUp(database(), visit);
    const problem = await findProblem(visit, areUsedUp);
    const canResend = problem?.kind !== "phone_blocked" && !areUsedUp;
    const common = { clientName, maskedPhone, problem, tries, isResent, resendSeconds };
    return { kind: "verification_code", ...common, canResend, isCodeSent: visit.isVerificationCodeSent };
  }
  if (status === "rejected" || status === "suspended") {
    return { kind: "not_permitted", clientName, status, reasons: visit.rejectionReasons };
  }
  if (visit.awaitedSubmission) {
    const kind = visit.awaitedSubmission;
    return { kind, clientName, problems: visit.problems.filter((problem) => kindOfProblem(problem) === kind) };
  }
  return {
    kind: "consent",
    clientId: visit.clientId,
    clientName,
    redirectHost: new URL(visit.redirectUri).host,
    personName: `${visit.firstName} ${visit.lastName}`,
    maskedPhone,
    maskedEmail: maskEmail(visit.email),
    isBusiness: visit.userType === "business",
    isBeingChecked: status === "retry" || status === "document",
  };
}

// The redirect may have been lost, so the page leads on to the client.
async function readFinishedVisit(visit: Visit): Promise<VisitView> {
  const { clientName } = visit;
  switch (await findVisitCodeStatus(database(), visit)) {
    case "live":
      return { kind: "authorized", clientName };
    case "expired":
      return { kind: "expired", clientName, returnTo: accessDeniedUrl(visit, "The authorization code expired.") };
    case "ended":
      return { kind: "finished", clientName };
    case undefined:
      return { kind: "cancelled", clientName, returnTo: accessDeniedUrl(visit, "The visit ended without consent.") };
  }
}

export function maskPhone(phone: string): string {
  return `••• ••• ${phone.slice(-4)}`;
}

export function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  const [first = ""] = email;
  return `${at > 0 ? first : ""}•••${email.slice(at)}`;
}

async function findProblem(visit: Visit, areUsedUp: boolean): Promise<VerificationProblem | undefined> {
  const tries = visit.verificationCodeTries;
  const isUsedUp = tries >= limits.verificationCodeTriesMax;
  if (await isPhoneBlocked(database(), visit)) return { kind: "phone_blocked" };
  if (areUsedUp && (isUsedUp || visit.isVerificationCodeExpired)) return { kind: "texts_used_up" };
  if (isUsedUp) return { kind: "code_used_up" };
  if (!visit.isVerificationCodeSent) return { kind: "code_not_sent" };
  if (visit.isVerificationCodeExpired) return { kind: "code_expired" };
  return tries > 0 ? { kind: "wrong_code", triesLeft: limits.verificationCodeTriesMax - tries } : undefined;
}

/** The origin of a visit's redirect_uri for CSP's form-action. */
export async function findVisitRedirectOrigin(visitId: string): Promise<string | undefined> {
  if (!uuid.safeParse(visitId).success) return undefined;
  const redirectUri = await inCellOfId(visitId, () => findVisitRedirectUri(database(), visitId));
  return redirectUri === undefined ? undefined : new URL(redirectUri).origin;
}
