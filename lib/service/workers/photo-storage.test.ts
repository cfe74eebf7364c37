import { eq } from "drizzle-orm";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { ProviderCall, ScreeningQuestion } from "../../contract/providers.ts";
import { deletePhotos } from "../operations/people/photo-storage.ts";
import { sweep } from "../operations/sweep.ts";
import { readVisit } from "../operations/visits/read-visit.ts";
import { uploadPhotoId } from "../operations/visits/submit-identity.ts";
import { chooseProviders, ProviderFailedError } from "../providers.ts";
import { sandboxProviders } from "../sandbox/providers.ts";
import { database, servicePool } from "../storage/database.ts";
import { claimPhotoDeletions, hasPhotosAtProvider } from "../storage/photo-deletions.ts";
import { identitySubmissions, photoDeletions, users } from "../storage/schema.ts";
import { advanceClock, createTestClient } from "../testing/clients.ts";
import { screenDuePeople } from "../testing/due-work.ts";
import { type HeldRows, holdRows } from "../testing/hold-rows.ts";
import { changeByOperator, changesOf, operatorSettings } from "../testing/operator.ts";
import { insertTestIntent, testPhotoId } from "../testing/people.ts";
import { countProviderCalls } from "../testing/provider-calls.ts";
import { endQuarantines, quarantined } from "../testing/quarantine.ts";
import { openTestVisit } from "../testing/visits.ts";

Object.assign(process.env, operatorSettings);

/** A provider whose calls a test can replace. */
class Storage {
  readonly objects = new Map<string, Uint8Array>();
  readonly puts: { id: string; content: Uint8Array }[] = [];
  readonly deleted: string[] = [];
  beforePut: () => Promise<void> = async () => {};
  beforeGet: () => Promise<void> = async () => {};
  beforeDelete: () => Promise<void> = async () => {};

  async put(photo: { id: string; content: Uint8Array }, { signal }: ProviderCall): Promise<void> {
    signal.throwIfAborted();
    this.puts.push(photo);
    await this.beforePut();
    this.objects.set(photo.id, photo.content);
  }

  async get({ id }: { id: string }): Promise<Uint8Array | undefined> {
    await this.beforeGet();
    return this.objects.get(id);
  }

  async delete({ id }: { id: string }): Promise<void> {
    this.deleted.push(id);
    await this.beforeDelete();
    this.objects.delete(id);
  }
}

const down = async () => Promise.reject(new Error("Marta Quay, 203.0.113.9: no bucket"));

let storage: Storage;
beforeEach(async () => {
  await servicePool().query("delete from photo_deletions; delete from quarantine; delete from screenings");
  storage = new Storage();
  chooseProviders({ ...sandboxProviders, photoIds: storage });
});

test("the provider stores an encrypted photo that only the service can read back", async () => {
  const { client, key, userId } = await arrive();
  expect(await uploadPhotoId(key, testPhotoId)).toEqual({ kind: "sent" });
  const { id, contentEncrypted } = await submissionOf(userId);
  expect(contentEncrypted).toBeNull();
  expect([...storage.objects.keys()]).toEqual([id]);
  expect(Buffer.from(storage.objects.get(id) ?? []).includes(Buffer.from(testPhotoId))).toBe(false);
  expect(await readVisit(key)).toMatchObject({ kind: "consent", isBeingChecked: true });

  const { json } = await view(client.clientId, userId);
  expect(json["photo"]).toBe(Buffer.from(testPhotoId).toString("base64"));
  expect(await photosAskedAbout()).toEqual([testPhotoId]);
  await makeDeletionsDue();
  await deletePhotos(storage);
  expect([storage.deleted, await hasPhotosAtProvider(database())]).toEqual([[], true]);
});

test("the same photo is another object each time, and can't be read as another person's", async () => {
  const [first, second] = [await arrive(), await arrive()];
  for (const { key } of [first, second]) await uploadPhotoId(key, testPhotoId);
  const [one, other] = storage.puts;
  if (!one || !other) throw new Error("Both were put.");
  expect(Buffer.from(one.content).equals(other.content)).toBe(false);
  storage.objects.set(one.id, other.content);
  expect((await view(first.client.clientId, first.userId)).status).toBe(503);
});

test("a failed put is retried once, with the same content", async () => {
  const { client, key } = await arrive();
  const before = await countProviderCalls(client, "photo_ids");
  storage.beforePut = async () => {
    if (storage.puts.length === 1) await down();
  };
  expect(await uploadPhotoId(key, testPhotoId)).toEqual({ kind: "sent" });
  expect(storage.puts).toHaveLength(2);
  expect(storage.puts[0]).toEqual(storage.puts[1]);
  const { answered, failed } = await countProviderCalls(client, "photo_ids");
  expect([answered - before.answered, failed - before.failed]).toEqual([1, 1]);
});

test("while the provider is down, an upload fails, leaves no trace of the photo, and can be retried", async () => {
  const { key, userId } = await arrive();
  storage.beforePut = down;
  await expect(uploadPhotoId(key, testPhotoId)).rejects.toThrow(ProviderFailedError);
  expect([await submissionsOf(userId), (await readVisit(key)).kind]).toEqual([[], "document"]);
  storage.beforePut = async () => {};
  expect(await uploadPhotoId(key, testPhotoId)).toEqual({ kind: "sent" });
});

test("a photo whose submission was not stored is deleted an hour later, never one that was", async () => {
  const { client, key, userId } = await arrive();
  const kept = await arrive();
  await uploadPhotoId(kept.key, testPhotoId);
  storage.beforePut = () => advanceClock(client, 31 * 60);
  expect(await uploadPhotoId(key, testPhotoId)).toEqual({ kind: "not_waiting" });
  expect([await submissionsOf(userId), storage.objects.size]).toEqual([[], 2]);
  await deletePhotos(storage);
  expect(storage.deleted).toEqual([]);
  const { rows } = await servicePool().query(
    "select due_real_at - now() between '59 minutes' and '1 hour' as is_hour from photo_deletions",
  );
  expect(rows).toEqual([{ is_hour: true }]);
  await makeDeletionsDue();
  await deletePhotos(storage);
  expect([...storage.objects.keys()]).toEqual([(await submissionOf(kept.userId)).id]);
  expect(await countDeletions()).toBe(0);
});

test("of twenty concurrent uploads one photo is kept, and the others are deleted", async () => {
  const { client, person, key, userId } = await arrive();
  const otherVisit = await openTestVisit(client, person);
  const keys = Array.from({ length: 20 }, (_, index) => (index % 2 ? key : otherVisit));
  const outcomes = await Promise.all(keys.map((one) => uploadPhotoId(one, testPhotoId)));
  expect(outcomes.filter(({ kind }) => kind === "sent")).toHaveLength(1);
  await makeDeletionsDue();
  while ((await deletePhotos(storage)) === 0);
  expect([...storage.objects.keys()]).toEqual([(await submissionOf(userId)).id]);
});

test("an upload whose photo's deletion has begun is not kept", async () => {
  const { key, userId } = await arrive();
  storage.beforePut = async () => {
    await makeDeletionsDue();
    await deletePhotos(storage);
  };
  await expect(uploadPhotoId(key, testPhotoId)).rejects.toThrow(ProviderFailedError);
  storage.beforeDelete = down;
  await expect(uploadPhotoId(key, testPhotoId)).rejects.toThrow(ProviderFailedError);
  expect([await submissionsOf(userId), (await readVisit(key)).kind]).toEqual([[], "document"]);
});

test("an expired photo can't be read, and the provider deletes it", async () => {
  const { client, key, userId } = await arrive();
  await uploadPhotoId(key, testPhotoId);
  await advanceClock(client, 181 * 86_400);
  await sweep(new AbortController().signal);
  const { id, contentEncrypted, photoKeyEncrypted } = await submissionOf(userId);
  expect([contentEncrypted, photoKeyEncrypted, storage.objects.size]).toEqual([null, null, 1]);
  const { status, json } = await view(client.clientId, userId);
  expect([status, json["errors"]]).toMatchObject([400, [{ field: "user_id" }]]);
  expect(await hasPhotosAtProvider(database())).toBe(true);
  await deletePhotos(storage);
  expect([storage.deleted, storage.objects.size, await countDeletions()]).toEqual([[id], 0, 0]);
});

test("a failed deletion is retried with growing pauses until it succeeds, and doesn't delay others", async () => {
  const [id, other] = [await planDeletion(), await planDeletion()];
  storage.beforeDelete = async () => {
    if (storage.deleted.at(-1) === id) await down();
  };
  const pauses: number[] = [];
  for (let failures = 1; failures <= 3; failures++) {
    await endQuarantines();
    await deletePhotos(storage);
    const { rows } = await servicePool().query<{ seconds: number; reason: string }>(
      "select extract(epoch from retry_real_at - now())::float8 as seconds, reason from quarantine where id = $1",
      [id],
    );
    expect(rows[0]?.reason).toBe("provider: Marta Quay, …: no bucket");
    pauses.push(Math.round((rows[0]?.seconds ?? 0) / 5));
    await deletePhotos(storage);
  }
  expect(pauses).toEqual([1, 2, 4]);
  expect(storage.deleted.toSorted()).toEqual([id, id, id, other].toSorted());
  storage.beforeDelete = async () => {};
  await endQuarantines();
  await deletePhotos(storage);
  expect([await countDeletions(), await quarantined("photo_deletion")]).toEqual([0, 0]);
});

test("a worker deletes one batch after another, and leases each deletion for longer than a call may take", async () => {
  for (let planned = 1; planned <= 20; planned++) await planDeletion();
  const oldest = await planDeletion();
  await servicePool().query("update photo_deletions set due_real_at = now() - interval '1 hour' where id = $1", [
    oldest,
  ]);
  const leases: number[] = [];
  storage.beforeDelete = async () => {
    const { rows } = await servicePool().query<{ seconds: number }>(
      "select extract(epoch from min(leased_until_real_at) - now())::float8 as seconds from photo_deletions",
    );
    leases.push(rows[0]?.seconds ?? 0);
  };
  expect(await deletePhotos(storage)).toBe(0);
  expect([storage.deleted.length, storage.deleted.includes(oldest)]).toEqual([20, true]);
  expect(await deletePhotos(storage)).toBeUndefined();
  expect([new Set(storage.deleted).size, await countDeletions()]).toEqual([21, 0]);
  expect(Math.min(...leases)).toBeGreaterThan(15);
});

test("a connection lost while recording a deletion affects no other, and doesn't count against the photo", async () => {
  const [id, other] = [await planDeletion(), await planDeletion()];
  let held: HeldRows | undefined;
  storage.beforeDelete = async () => {
    if (!held && storage.deleted.at(-1) === id) {
      held = await holdRows("select from photo_deletions where id = $1 for update", [id]);
    }
  };
  const deleted = deletePhotos(storage).catch((error: unknown) => error);
  await expect.poll(() => held !== undefined).toBe(true);
  await held?.waiters(1);
  await expect.poll(countDeletions).toBe(1);
  await servicePool().query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  expect(await deleted).toBeInstanceOf(Error);
  await held?.release();
  expect(await quarantined("photo_deletion")).toBe(0);
  await servicePool().query("update photo_deletions set leased_until_real_at = now()");
  await deletePhotos(storage);
  expect([storage.deleted.toSorted(), await countDeletions()]).toEqual([[id, id, other].toSorted(), 0]);
});

test("a call to a silent provider times out after 10 s, and an upload is tried twice", async () => {
  const { key, userId } = await arrive();
  const controllers = [new AbortController(), new AbortController()];
  const timeout = vi.spyOn(AbortSignal, "timeout");
  onTestFinished(() => timeout.mockRestore());
  for (const { signal } of controllers) timeout.mockReturnValueOnce(signal);
  storage.beforePut = () => new Promise(() => {});
  const uploaded = uploadPhotoId(key, testPhotoId).catch((error: unknown) => error);
  for (const [index, controller] of controllers.entries()) {
    await expect.poll(() => storage.puts.length).toBe(index + 1);
    controller.abort();
  }
  expect(await uploaded).toBeInstanceOf(ProviderFailedError);
  expect(timeout.mock.calls).toEqual([[10_000], [10_000]]);
  expect([await submissionsOf(userId), await countDeletions()]).toEqual([[], 1]);
});

test("a deletion is retried after its process dies, by one worker at a time", async () => {
  const id = await planDeletion();
  await claimPhotoDeletions(database(), { limit: 20, leaseMs: 60_000 });
  await deletePhotos(storage);
  expect(storage.deleted).toEqual([]);
  await servicePool().query("update photo_deletions set leased_until_real_at = now()");
  await Promise.all(Array.from({ length: 5 }, () => deletePhotos(storage)));
  expect([storage.deleted, await countDeletions()]).toEqual([[id], 0]);
});

test.each([
  ["is down", async () => Object.assign(storage, { beforeGet: down }), /^provider: Marta Quay, …: no bucket$/],
  ["has lost the photo", async () => storage.objects.clear(), /^provider: The photo ID is not where it was stored\.$/],
  [
    "is no longer connected",
    async () => chooseProviders(sandboxProviders),
    /^provider: This photo ID is stored by photoIds, which PROVIDERS doesn't export\.$/,
  ],
])(
  "when the provider %s, a screening is retried later, and a view gets 503 and isn't recorded",
  async (_name, fail, reason) => {
    const { client, key, userId } = await arrive();
    await uploadPhotoId(key, testPhotoId);
    await fail();
    expect(await photosAskedAbout()).toEqual([]);
    const { rows } = await servicePool().query("select reason from quarantine where kind = 'screening'");
    expect(rows).toEqual([{ reason: expect.stringMatching(reason) }]);
    expect([(await view(client.clientId, userId)).status, await changesOf(client.clientId)]).toEqual([503, []]);
  },
);

test("a photo deleted while it's being read isn't screened", async () => {
  const { client, key } = await arrive();
  await uploadPhotoId(key, testPhotoId);
  storage.beforeGet = async () => {
    storage.beforeGet = async () => {};
    await advanceClock(client, 181 * 86_400);
    await sweep(new AbortController().signal);
    await deletePhotos(storage);
  };
  expect(await photosAskedAbout()).toEqual([]);
  expect(await quarantined("screening")).toBe(0);
});

/** A person in status document, on the page that asks for a photo ID. */
async function arrive() {
  const client = await createTestClient();
  const person = await insertTestIntent(client, { status: "document" });
  const key = await openTestVisit(client, person);
  const [user] = await database().select({ id: users.id }).from(users).where(eq(users.phone, person.phone));
  return { client, person, key, userId: user?.id ?? "" };
}

function submissionsOf(userId: string) {
  return database().select().from(identitySubmissions).where(eq(identitySubmissions.userId, userId));
}

async function submissionOf(userId: string) {
  const [submission] = await submissionsOf(userId);
  if (!submission) throw new Error("Nothing was stored.");
  return submission;
}

function view(clientId: string, userId: string) {
  return changeByOperator(clientId, "photo", { user_id: userId });
}

/** Screens everyone pending, and returns the photos that the screening provider got. */
async function photosAskedAbout(): Promise<Uint8Array[]> {
  const questions: ScreeningQuestion[] = [];
  await servicePool().query("update screenings set due_real_at = now()");
  await screenDuePeople({
    ask: async (question) => {
      questions.push(question);
      return { kind: "undecided" };
    },
    poll: async () => ({ kind: "undecided" }),
  });
  return questions.flatMap((question) => ("photo" in question ? [question.photo] : []));
}

async function makeDeletionsDue(): Promise<void> {
  await servicePool().query("update photo_deletions set due_real_at = now()");
}

async function planDeletion(): Promise<string> {
  const { rows } = await servicePool().query<{ id: string }>(
    "insert into photo_deletions (id, due_real_at) values (gen_random_uuid(), now()) returning id",
  );
  return rows[0]?.id ?? "";
}

function countDeletions(): Promise<number> {
  return database().$count(photoDeletions);
}
