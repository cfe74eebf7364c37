import type { Pool } from "pg";

type Payload = Record<string, unknown> & { grantId?: string; uid?: string; userCode?: string };

/** oidc-provider's tables: users, and its models by kind and id, as its docs suggest. */
export const oidcTables = `
  create table oidc_payloads (
    id text not null,
    type text not null,
    payload jsonb not null,
    grant_id text,
    uid text,
    user_code text,
    expires_at timestamptz,
    consumed_at timestamptz,
    primary key (id, type)
  );
  create index on oidc_payloads (grant_id) where grant_id is not null;
  create index on oidc_payloads (uid) where uid is not null;
  create table people (id uuid primary key, email text not null, first_name text not null, last_name text not null,
    phone text not null);`;

export function postgresAdapter(pool: Pool) {
  return class PostgresAdapter {
    readonly type: string;

    constructor(type: string) {
      this.type = type;
    }

    async upsert(id: string, payload: Payload, expiresIn?: number): Promise<void> {
      await pool.query({
        name: "upsert",
        text: `
          insert into oidc_payloads (id, type, payload, grant_id, uid, user_code, expires_at)
          values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
          on conflict (id, type) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
        values: [id, this.type, payload, payload.grantId, payload.uid, payload.userCode, expiresIn],
      });
    }

    find(id: string) {
      return this.#findBy("id", id);
    }

    findByUid(uid: string) {
      return this.#findBy("uid", uid);
    }

    findByUserCode(userCode: string) {
      return this.#findBy("user_code", userCode);
    }

    async #findBy(column: "id" | "uid" | "user_code", value: string): Promise<Payload | undefined> {
      const { rows } = await pool.query<{ payload: Payload; consumed: boolean }>({
        name: `find-by-${column}`,
        text: `
          select payload, consumed_at is not null as consumed from oidc_payloads
          where ${column} = $1 and type = $2 and (expires_at is null or expires_at > now())`,
        values: [value, this.type],
      });
      const [row] = rows;
      return row && { ...row.payload, ...(row.consumed && { consumed: true }) };
    }

    async consume(id: string): Promise<void> {
      const text = "update oidc_payloads set consumed_at = now() where id = $1 and type = $2";
      await pool.query({ name: "consume", text, values: [id, this.type] });
    }

    async destroy(id: string): Promise<void> {
      const text = "delete from oidc_payloads where id = $1 and type = $2";
      await pool.query({ name: "destroy", text, values: [id, this.type] });
    }

    async revokeByGrantId(grantId: string): Promise<void> {
      const text = "delete from oidc_payloads where grant_id = $1";
      await pool.query({ name: "revoke", text, values: [grantId] });
    }
  };
}
