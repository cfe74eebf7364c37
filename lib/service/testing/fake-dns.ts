import { createSocket } from "node:dgram";
import { once } from "node:events";

/** An IPv4 address, an error (a DNS response code), or no answer. */
type FakeDnsAnswer = string | "no_error" | "servfail" | "nxdomain" | "refused" | "silence";

export type FakeDns = { servers: string[]; queries: string[]; stop: () => void };

const responseCodes: Record<string, number> = { servfail: 2, nxdomain: 3, refused: 5 };

/** A fake DNS server. Names without an answer are unknown (nxdomain); the root is the name "". */
export async function startFakeDns(answers: Record<string, FakeDnsAnswer>): Promise<FakeDns> {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  const queries: string[] = [];
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    queries.push(name);
    const answer = answers[name] ?? "nxdomain";
    if (answer === "silence") return;
    const isAddress = answer.includes(".") && type === 1;
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | (responseCodes[answer] ?? 0), 2);
    header.writeUInt16BE(isAddress ? 1 : 0, 6);
    header.writeUInt32BE(0, 8);
    // The question's name, type A, class IN, a TTL of 60 s and four bytes.
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...answer.split(".").map(Number)]);
    const parts = [header, query.subarray(12, end), ...(isAddress ? [record] : [])];
    socket.send(Buffer.concat(parts), port, address);
  });
  return { servers: [`127.0.0.1:${socket.address().port}`], queries, stop: () => socket.close() };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), type: query.readUInt16BE(at + 1), end: at + 5 };
}
