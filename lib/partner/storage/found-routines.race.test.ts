import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { partner } from "../process-partner.ts";
import { connectSeller } from "../testing/connected-users.ts";
import type { Db } from "./database.ts";
import { insertFoundRoutine } from "./routine-comparison.ts";
import { findRoutine } from "./routines.ts";
import { beginRead, connectServiceUser, storeUserSnapshot, unlinkPerson } from "./service-users.ts";

// An adopted payment gets its seller, even if the two are stored at once or one is interrupted.

let seller: Awaited<ReturnType<typeof connectSeller>>;
let accountId: string;

beforeEach(async () => {
  seller = await connectSeller({ status: "approved" });
  accountId = newId();
});

async function readAccount(db: Db = partner().db): Promise<void> {
  await storeUserSnapshot(db, seller.id, { usableAccountIds: [accountId] }, await beginRead(partner().db));
}

async function adopt(db: Db = partner().db): Promise<string> {
  const details = { name: "Lamps", amountCents: 100, sourceId: newId(), destinationId: accountId };
  const record = { serviceRoutineId: newId(), transferId: newId(), createdAt: undefined };
  const id = await insertFoundRoutine(db, { ...details, ...record });
  if (!id) throw new Error("Its ids are new.");
  return id;
}

async function adoptUnseen(): Promise<string> {
  return partner().inTransaction(async (tx) => {
    const routineId = await adopt(tx);
    await readAccount();
    return routineId;
  });
}

async function readUnseen(): Promise<string> {
  return partner().inTransaction(async (tx) => {
    await readAccount(tx);
    return adopt();
  });
}

async function readInterrupted(): Promise<string> {
  const routineId = await adopt();
  await partner().inTransaction(async (holder) => {
    await holder.execute(sql`select from routines where id = ${routineId} for update`);
    const reading = partner().inTransaction(async (tx) => {
      await tx.execute(sql`set local lock_timeout = 100`);
      await readAccount(tx);
    });
    await expect(reading).rejects.toThrow();
  });
  return routineId;
}

test.each([
  ["is adopted while the account is stored", adoptUnseen],
  ["is adopted before the account is committed", readUnseen],
  ["couldn't be assigned when the account was read", readInterrupted],
])("a payment that %s is its seller's after the next read, which waits for the disk", async (_when, begin) => {
  const routineId = await begin();
  const isDurable = await partner().inTransaction(async (tx) => {
    await tx.execute(sql`set local synchronous_commit = on`);
    await readAccount(tx);
    const { rows } = await tx.execute(sql`select current_setting('synchronous_commit') <> 'off' as durable`);
    return rows[0]?.["durable"];
  });
  expect(await findRoutine(partner().db, routineId)).toMatchObject({ sellerUserId: seller.id });
  expect(isDurable).toBe(true);
});

test("a seller who connects again gets the payments adopted since they were unlinked", async () => {
  await readAccount();
  await unlinkPerson(partner().db, seller.id);
  const routineId = await adopt();
  expect(await findRoutine(partner().db, routineId)).toMatchObject({ sellerUserId: "" });
  const record = { status: "approved", userType: "personal", firstName: "Marta", lastName: "Quay" };
  const user = { id: seller.id, personId: seller.person.id, ...record };
  await connectServiceUser(partner().db, user, await beginRead(partner().db));
  expect(await findRoutine(partner().db, routineId)).toMatchObject({ sellerUserId: seller.id });
});
