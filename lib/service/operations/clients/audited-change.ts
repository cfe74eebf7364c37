import type * as z from "zod/mini";
import type { ChangeEnvelope } from "../../../contract/operator.ts";
import { newId } from "../../../kit/ids.ts";
import type { TraceId } from "../../../kit/trace.ts";
import { inCellOfClient } from "../../storage/client-cells.ts";
import { type Client, lockClient } from "../../storage/clients.ts";
import { type Db, inTransaction } from "../../storage/database.ts";
import { insertOperatorChange, isOperatorChangeRecorded, type OperatorChange } from "../../storage/operator-changes.ts";

export type ChangeOrigin = { clientId: string; via: OperatorChange["via"]; traceId: TraceId };

/** `details` are recorded, `secrets` and `photo` only returned. */
export type Applied = {
  kind: "applied";
  details: Record<string, unknown>;
  secrets?: Record<string, string>;
  photo?: Uint8Array;
  /** Makes the change idempotent. */
  reference?: string;
};

/** An invalid `field`, or an unknown client. */
export type ChangeRefusal = { kind: "refused"; field: string; message: string } | { kind: "not_found" };

export function refused(field: string, message: string): ChangeRefusal {
  return { kind: "refused", field, message };
}

/** A repeat of an earlier change. */
export type ReplayedChange = { kind: "replayed"; change: OperatorChange };

/** A change that was made, or with `isDryRun` would have been. */
export type AppliedChange = Pick<Applied, "details" | "secrets" | "photo"> & {
  kind: "made";
  changeId: string;
  clientId: string;
  action: string;
  by: string;
  isDryRun: boolean;
};

export type ClientChangeOperation<Body extends z.ZodMiniType<ChangeEnvelope>> = {
  action: string;
  body: Body;
  /** Reads a photo ID before the transaction, because a provider may store it. */
  readPhoto?: (clientId: string, body: z.output<Body>) => Promise<Uint8Array | undefined>;
  /** Runs on the locked client, in the transaction that also records the change. */
  apply: (
    tx: Db,
    client: Client,
    body: z.output<Body>,
    origin: ChangeOrigin & { photo?: Uint8Array | undefined },
  ) => Promise<Applied | ChangeRefusal | ReplayedChange>;
};

/** Makes one change of a client and records it, in one transaction. Decision D23 */
export async function changeClient<Body extends z.ZodMiniType<ChangeEnvelope>>(
  { action, readPhoto, apply }: ClientChangeOperation<Body>,
  origin: ChangeOrigin,
  body: z.output<Body>,
): Promise<AppliedChange | ChangeRefusal> {
  return inCellOfClient(origin.clientId, async () => {
    const photo = await readPhoto?.(origin.clientId, body);
    const lock = (tx: Db) => lockClient(tx, origin.clientId);
    return makeChange({ ...origin, ...body, action }, lock, async (tx, client) => {
      return client ? apply(tx, client, body, { ...origin, photo }) : { kind: "not_found" };
    });
  });
}

/** Rolls back a transaction whose outcome is known. */
class UndoneError extends Error {
  readonly outcome: AppliedChange | ChangeRefusal;

  constructor(outcome: AppliedChange | ChangeRefusal) {
    super("This change is undone.");
    this.outcome = outcome;
  }
}

/**
 * Runs a change and records it. Keeps nothing if it's refused, was made before or is a dry run.
 * @param lock locks the row that serializes a client's changes
 */
export async function makeChange<Row>(
  change: ChangeOrigin & ChangeEnvelope & { action: string },
  lock: (tx: Db) => Promise<Row>,
  apply: (tx: Db, row: Row) => Promise<Applied | ChangeRefusal | ReplayedChange>,
): Promise<AppliedChange | ChangeRefusal> {
  const { clientId, via, by, action, dry_run: isDryRun } = change;
  const changeId = newId();
  const work = async (tx: Db): Promise<AppliedChange> => {
    const outcome = await apply(tx, await lock(tx));
    if (outcome.kind === "replayed") throw new UndoneError(presentEarlier(outcome.change, isDryRun));
    if (outcome.kind !== "applied") throw new UndoneError(outcome);
    const { details, secrets, photo, reference = null } = outcome;
    await insertOperatorChange(tx, { id: changeId, clientId, action, operator: by, via, details, reference });
    const applied: AppliedChange = { kind: "made", changeId, clientId, action, by, isDryRun, details };
    if (isDryRun) throw new UndoneError(applied);
    return { ...applied, ...(secrets && { secrets }), ...(photo && { photo }) };
  };
  try {
    return await inTransaction(work, {
      wasCommitted: async (tx) => {
        await lock(tx);
        return isOperatorChangeRecorded(tx, changeId);
      },
    });
  } catch (error) {
    if (error instanceof UndoneError) return error.outcome;
    throw error;
  }
}

function presentEarlier({ id, clientId, action, operator, details }: OperatorChange, isDryRun: boolean): AppliedChange {
  return { kind: "made", changeId: id, clientId, action, by: operator, isDryRun, details };
}
