// The statuses and their transitions. Storage, docs and tests use them too.

/** Decision D7 */
export const userIntentStatuses = [
  "pending",
  "retry",
  "document",
  "approved",
  "rejected",
  "converted_to_user",
] as const;
export type UserIntentStatus = (typeof userIntentStatuses)[number];

/** Decision D7 */
export const userStatuses = ["pending", "retry", "document", "approved", "rejected", "suspended"] as const;
export type UserStatus = (typeof userStatuses)[number];

/** A routine follows its transfer. Decision D7 */
export const routineStatuses = ["active", "completed", "failed", "cancelled"] as const;
export type RoutineStatus = (typeof routineStatuses)[number];

/** Decision D7 */
export const transferStatuses = ["pending", "processed", "failed", "cancelled"] as const;
export type TransferStatus = (typeof transferStatuses)[number];

type Transitions<Status extends string> = Readonly<Record<Status, readonly Status[]>>;

const screening = {
  pending: ["approved", "rejected", "retry", "document"],
  retry: ["approved", "rejected", "document"],
  document: ["approved", "rejected"],
} as const;

export const transitions = {
  userIntent: {
    pending: [...screening.pending, "converted_to_user"],
    retry: [...screening.retry, "converted_to_user"],
    document: [...screening.document, "converted_to_user"],
    approved: ["converted_to_user"],
    rejected: ["converted_to_user"],
    converted_to_user: ["approved", "rejected"],
  } satisfies Transitions<UserIntentStatus>,
  user: {
    ...screening,
    approved: ["suspended"],
    rejected: [],
    suspended: ["approved"],
  } satisfies Transitions<UserStatus>,
  routine: {
    active: ["completed", "failed", "cancelled"],
    completed: [],
    failed: [],
    cancelled: [],
  } satisfies Transitions<RoutineStatus>,
  transfer: {
    pending: ["processed", "failed", "cancelled"],
    processed: [],
    failed: [],
    cancelled: [],
  } satisfies Transitions<TransferStatus>,
} as const;

/** Whether a resource can go from `current` to `next`. */
export function canFollow(resource: keyof typeof transitions, current: string, next: string): boolean {
  const following: Record<string, readonly string[]> = transitions[resource];
  return Object.hasOwn(following, current) && (following[current]?.includes(next) ?? false);
}

/** Whether a person in this status awaits a decision. */
export function isUndecided(status: string): boolean {
  return Object.hasOwn(screening, status);
}

export const routineStatusOfTransfer = {
  pending: "active",
  processed: "completed",
  failed: "failed",
  cancelled: "cancelled",
} as const satisfies Record<TransferStatus, RoutineStatus>;
