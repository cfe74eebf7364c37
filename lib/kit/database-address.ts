import * as z from "zod/mini";

const shape = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/**
 * One address per host of a database's address. Several hosts use libpq's syntax, because node-postgres supports only one:
 * `postgres://user@one:5432,two:5432/books?target_session_attrs=read-write`. Throws on an invalid address.
 */
export function serversOf(address: string): string[] {
  const parts = shape.exec(address);
  if (!parts) throw new Error("It isn't a postgres:// address.");
  const [, start = "", hosts = "", rest = ""] = parts;
  const servers = hosts.includes(",") ? hosts.split(",").map((host) => start + host + rest) : [address];
  return servers.map((server) => {
    const url = new URL(server);
    const targetAttributes = url.searchParams.get("target_session_attrs");
    // psql with the same address must find the same server.
    if (targetAttributes !== null && targetAttributes !== "read-write")
      throw new Error("Only read-write servers can be used.");
    if (servers.length > 1 && !(targetAttributes && url.hostname))
      throw new Error("Several hosts need target_session_attrs.");
    url.searchParams.delete("target_session_attrs");
    return url.href;
  });
}

/** A database's address with other hosts, as in `10.0.0.7:5432` or `one:5432,two:5432`. Throws on invalid hosts. */
export function withHosts(address: string, hosts: string): string {
  const [, start = "", , rest = ""] = shape.exec(address) ?? [];
  const target = "target_session_attrs=read-write";
  const needsTarget = hosts.includes(",") && !rest.includes(target);
  const moved = start + hosts + rest + (needsTarget ? `${rest.includes("?") ? "&" : "?"}${target}` : "");
  serversOf(moved);
  return moved;
}

/** The hosts of a database's address. */
export function hostsOf(address: string): string {
  return shape.exec(address)?.[2] ?? "";
}

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
    serversOf(setting);
    return true;
  } catch {
    return false;
  }
}
