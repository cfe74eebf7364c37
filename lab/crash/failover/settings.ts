/** One node's ports: its two programs, and the routes that the drill can cut. */
export type NodePorts = {
  postgres: number;
  rest: number;
  /** From HAProxy: connections and health checks. */
  clients: number;
  checks: number;
  /** From the other node: replication and Patroni. */
  peerPostgres: number;
  peerRest: number;
  etcd: number;
};

/**
 * Patroni's timeouts in seconds, the smallest it allows. A dead leader is replaced when its lease expires, so the first one
 * determines the outage.
 */
export const leaseSeconds = { ttl: 20, loop_wait: 1, retry_timeout: 3 } as const;

export type Passwords = { superuser: string; replication: string; rewind: string };

/** A node's Patroni settings as JSON, which is valid YAML. */
export function patroniSettings({
  name,
  folder,
  ports,
  postgresFolder,
  passwords,
}: {
  name: string;
  folder: string;
  ports: NodePorts;
  postgresFolder: string;
  passwords: Passwords;
}): string {
  const local = (port: number) => `127.0.0.1:${port}`;
  const settings = {
    scope: "drill",
    name,
    restapi: { listen: local(ports.rest), connect_address: local(ports.peerRest) },
    // Proxies, or Patroni would ask etcd for its address and bypass the cuttable routes. API version 2, because with
    // version 3, Patroni up to 3.0.2 (Debian 12) can overwrite a leader's key.
    etcd: { hosts: [local(ports.etcd)], use_proxies: true, protocol: "http" },
    bootstrap: {
      dcs: {
        ...leaseSeconds,
        // Answered commits are on both nodes. Not strict: a lone node continues after Patroni has recorded in etcd that
        // the other one must not be promoted.
        synchronous_mode: true,
        synchronous_mode_strict: false,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: { max_connections: 300, wal_keep_size: "1GB", wal_log_hints: "on" },
        },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C" }, "data-checksums"],
    },
    postgresql: {
      listen: local(ports.postgres),
      connect_address: local(ports.peerPostgres),
      data_dir: `${folder}/data`,
      bin_dir: postgresFolder,
      pgpass: `${folder}/pgpass`,
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
      authentication: {
        superuser: { username: "drill", password: passwords.superuser },
        replication: { username: "replicator", password: passwords.replication },
        rewind: { username: "rewinder", password: passwords.rewind },
      },
      parameters: { unix_socket_directories: folder, log_line_prefix: "%m [%p] " },
      pg_hba: [
        "host replication replicator 127.0.0.1/32 scram-sha-256",
        "host all all 127.0.0.1/32 scram-sha-256",
        "local all all scram-sha-256",
      ],
    },
    watchdog: { mode: "off" },
  };
  return JSON.stringify(settings, undefined, 2);
}

/**
 * HAProxy's settings: one address for the current primary. A demoted node's connections are closed right away, so
 * clients don't wait for it.
 */
export function haproxySettings(port: number, nodes: { name: string; ports: NodePorts }[]): string {
  return [
    "global",
    "  maxconn 1000",
    "defaults",
    "  mode tcp",
    "  timeout connect 2s",
    "  timeout client 30m",
    "  timeout server 30m",
    "  timeout check 1s",
    "listen primary",
    `  bind 127.0.0.1:${port}`,
    "  option httpchk OPTIONS /primary",
    "  http-check expect status 200",
    "  default-server inter 250ms fall 2 rise 1 on-marked-down shutdown-sessions",
    ...nodes.map(
      ({ name, ports }) => `  server ${name} 127.0.0.1:${ports.clients} maxconn 300 check port ${ports.checks}`,
    ),
    "",
  ].join("\n");
}

/** PgBouncer's settings in transaction mode. `usersFile` has the database owner's credentials. */
export function pgbouncerSettings(port: number, databasePort: number, usersFile: string): string {
  return [
    "[databases]",
    `* = host=127.0.0.1 port=${databasePort}`,
    "",
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = scram-sha-256",
    `auth_file = ${usersFile}`,
    "pool_mode = transaction",
    "default_pool_size = 40",
    "max_client_conn = 1000",
    "server_connect_timeout = 5",
    "server_login_retry = 1",
    "query_wait_timeout = 5",
    "server_lifetime = 600",
    "tcp_keepidle = 10",
    "",
  ].join("\n");
}

/** Role timeouts for pooled connections in milliseconds, as in docs/operations.md. */
export const limitsOfRole = {
  lock_timeout: 5000,
  statement_timeout: 15_000,
  idle_in_transaction_session_timeout: 4_000,
} as const;
