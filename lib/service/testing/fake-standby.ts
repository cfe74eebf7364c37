import pg from "pg";

/** Something that streams the database's log as a standby does, and says how far it has come. */
export type FakeStandby = {
  /** Says that it has applied the log up to here. */
  apply: (lsn: string) => void;
  stop: () => Promise<void>;
};

/** Starts streaming from this place of the log on. */
export async function startFakeStandby(databaseUrl: string, lsn: string): Promise<FakeStandby> {
  const options = { connectionString: databaseUrl, replication: "true", application_name: "fake standby" };
  const client = new pg.Client(options as pg.ClientConfig);
  client.on("error", () => {});
  await client.connect();
  const { connection } = client as unknown as { connection: Wire };
  const started = new Promise<void>((resolve) => connection.once("replicationStart", resolve));
  // Answered when the stream ends, which is when the connection does; before it has begun only with an error.
  const refused = client.query(`START_REPLICATION PHYSICAL ${lsn}`).then(() => {});
  await Promise.race([started, refused]);
  refused.catch(() => {});
  return {
    apply: (applied) => connection.sendCopyFromChunk(statusUpdate(applied)),
    stop: async () => {
      connection.stream.destroy();
      await client.end().catch(() => {});
    },
  };
}

type Wire = {
  once: (event: string, listener: () => void) => void;
  sendCopyFromChunk: (chunk: Buffer) => void;
  stream: { destroy: () => void };
};

// "Standby status update" of PostgreSQL's streaming replication protocol: written, flushed and applied, the time, no reply.
function statusUpdate(lsn: string): Buffer {
  const [high = "0", low = "0"] = lsn.split("/");
  const place = (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
  const message = Buffer.alloc(34);
  message.write("r");
  for (const offset of [1, 9, 17]) message.writeBigInt64BE(place, offset);
  message.writeBigInt64BE((BigInt(Date.now()) - 946_684_800_000n) * 1000n, 25);
  return message;
}
