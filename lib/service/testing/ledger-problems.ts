import { servicePool } from "../storage/database.ts";

/** Every violated rule of the ledger, of all clients, as sentences. */
export async function findLedgerProblems(): Promise<string[]> {
  const { rows } = await servicePool().query<{ problem: string }>(`
    select 'posting ' || posting_id || ' does not sum to zero' as problem
    from entries group by posting_id having sum(amount_cents) <> 0
    union all
    select 'account ' || a.id || ' does not equal its entries' from accounts a
    where a.balance_cents <> coalesce((select sum(e.amount_cents) from entries e where e.account_id = a.id), 0)
    union all
    select 'account ' || a.id || ' does not equal its holds' from accounts a
    where a.held_cents <> coalesce((select sum(h.amount_cents) from holds h where h.account_id = a.id), 0)
    union all
    select 'account ' || id || ' is overdrawn' from accounts where type <> 'funding' and balance_cents < held_cents
    union all
    select 'transfer ' || t.id || ' is ' || t.status || ' with a wrong hold' from transfers t
    left join holds h on h.transfer_id = t.id
    where (t.status = 'pending') <> (h.transfer_id is not null)
      or h.amount_cents <> t.amount_cents or h.account_id <> t.source_id
    union all
    select 'transfer ' || t.id || ' is ' || t.status || ' with wrong entries' from transfers t
    where (select count(*) from entries e where e.transfer_id = t.id) <> case t.status when 'processed' then 2 else 0 end
      or exists (select from entries e where e.transfer_id = t.id and (e.account_id, e.amount_cents)
        not in ((t.source_id, -t.amount_cents), (t.destination_id, t.amount_cents)))
    union all
    select 'routine ' || r.id || ' does not follow its transfer' from routines r
    left join transfers t on t.routine_id = r.id
    where t.id is null or r.status <> case t.status when 'pending' then 'active' when 'processed' then 'completed'
      else t.status end`);
  return rows.map(({ problem }) => problem);
}
