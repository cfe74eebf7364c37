import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export type Programs = {
  etcd: string;
  patroni: string;
  patronictl: string;
  haproxy: string;
  pgbouncer: string;
  postgresFolder: string;
};

// Debian's folders; a user's PATH often lacks the last two.
const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"];
const postgresFolder = "/usr/lib/postgresql/15/bin";

const needed = [
  { name: "etcd", package: "etcd-server" },
  { name: "patroni", package: "patroni" },
  { name: "patronictl", package: "patroni" },
  { name: "haproxy", package: "haproxy" },
  { name: join(postgresFolder, "postgres"), package: "postgresql-15" },
  // Patroni's etcd client, which its package only suggests.
  { name: "/usr/lib/python3/dist-packages/etcd/client.py", package: "python3-etcd" },
] as const;
const pooler = { name: "pgbouncer", package: "pgbouncer" } as const;

/**
 * Finds the drill's programs, including the pooler's if used. Throws a message with the Debian packages to install; the drill
 * installs nothing.
 */
export function findPrograms(hasPooler: boolean, find: (name: string) => string | undefined = findFile): Programs {
  const missing = [...needed, ...(hasPooler ? [pooler] : [])].filter(({ name }) => find(name) === undefined);
  if (missing.length > 0) {
    const packages = [...new Set(missing.map((program) => program.package))].join(" ");
    throw new Error(`This drill needs programs that aren't installed. On Debian 12: apt-get install ${packages}`);
  }
  const at = (name: string) => find(name) ?? name;
  return {
    etcd: at("etcd"),
    patroni: at("patroni"),
    patronictl: at("patronictl"),
    haproxy: at("haproxy"),
    pgbouncer: at(pooler.name),
    postgresFolder,
  };
}

/** A program's path; undefined if not found. */
export function findFile(name: string): string | undefined {
  const places = name.startsWith("/") ? [name] : folders.map((folder) => join(folder, name));
  return places.find((index) => {
    try {
      accessSync(index, constants.R_OK);
      return true;
    } catch {
      return false;
    }
  });
}
