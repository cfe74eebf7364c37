import pg from "pg";

/** Streams WAL like a standby, and reports its progress. */
export type FakeStandby = {
  /** Reports that WAL is applied up to here. */
  apply: (lsn: string) => void;
  stop: () => Promise<void>;
};

export async function startFakeStandby(databaseUrl: string, lsn: string): Promise<FakeStandby> {
  const options = { connectionString: databaseUrl, replication: "true", application_name: "fake standby" };
  const client = new pg.Client(options as pg.ClientConfig);
  client.on("error", () => {});
  await client.connect();
  const { connection } = client as unknown as { connection: Wire };
  const started = new Promise<void>((resolve) => connection.once("replicationStart", resolve));
  // Resolves when the stream ends with the connection; an error arrives earlier.
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

// "Standby status update" of the streaming replication protocol: written, flushed and applied, the time, no reply.
function statusUpdate(lsn: string): Buffer {
  const [high = "0", low = "0"] = lsn.split("/");
  const position = (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
  const message = Buffer.alloc(34);
  message.write("r");
  for (const offset of [1, 9, 17]) message.writeBigInt64BE(position, offset);
  message.writeBigInt64BE((BigInt(Date.now()) - 946_684_800_000n) * 1000n, 25);
  return message;
}
