import * as z from "zod/mini";

const shape = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/**
 * The servers that an address of a database names, each as an address of its own. Several hosts are written as libpq takes
 * them, `postgres://user@one:5432,two:5432/books?target_session_attrs=read-write`; node-postgres knows one host only. Throws
 * when the address cannot be meant.
 */
export function serversOf(address: string): string[] {
  const [, start = "", hosts = "", rest = ""] = shape.exec(address) ?? [];
  const servers = hosts.includes(",") ? hosts.split(",").map((host) => start + host + rest) : [address];
  return servers.map((server) => {
    const url = new URL(server);
    const wanted = url.searchParams.get("target_session_attrs");
    // Nobody writes to a standby, so no other value can be meant; and psql with the same address must find the same server.
    if (wanted !== null && wanted !== "read-write") throw new Error("Only read-write servers can be used.");
    if (servers.length > 1 && !(wanted && url.hostname)) throw new Error("Several hosts, and which of them?");
    url.searchParams.delete("target_session_attrs");
    return url.href;
  });
}

/** A setting that is the address of a database, of one host or of several. */
export const databaseSetting = z
  .string()
  .check(
    z.refine(
      isDatabaseAddress,
      "must be a postgres:// address; with several hosts, as in postgres://one:5432,two:5432/books?target_session_attrs=read-write",
    ),
  );

function isDatabaseAddress(setting: string): boolean {
  try {
    return serversOf(setting).length > 0;
  } catch {
    return false;
  }
}
