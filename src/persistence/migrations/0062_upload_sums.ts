import { migration } from "../shared/migration.ts"

export default migration([
  // What was uploaded on each day: by each account, from each network, and by all, whose name is empty.
  `alter table upload_totals drop constraint upload_totals_account_id_fkey,
    drop constraint upload_totals_pkey`,
  `alter table upload_totals rename column account_id to name`,
  `alter table upload_totals add column sum text not null default 'account'
    check (sum in ('account', 'network', 'instance'))`,
  `alter table upload_totals alter column sum drop default, add primary key (day, sum, name)`,
  `insert into upload_totals (day, sum, name, bytes)
    select day, 'instance', '', sum(bytes) from upload_totals group by day`,

  // Counts an upload in all of its sums and answers null; or in none, and answers which one would be too much.
  `create function count_upload(
      on_day date, weight bigint, account text, account_maximum bigint,
      network text, network_maximum bigint, instance_maximum bigint
    ) returns text language plpgsql as $$
    declare
      sums constant text[] := array['account', 'network', 'instance'];
      names constant text[] := array[account, network, ''];
      maximums constant bigint[] := array[account_maximum, network_maximum, instance_maximum];
      exceeded text;
    begin
      -- In this order, so that uploads at the same time wait for each other one after the other.
      insert into upload_totals (day, sum, name, bytes)
        select on_day, w.sum, w.name, 0 from unnest(sums, names) with ordinality w (sum, name, place)
        order by w.place
        on conflict do nothing;
      perform from unnest(sums, names) with ordinality w (sum, name, place)
        join upload_totals t on t.day = on_day and t.sum = w.sum and t.name = w.name
        order by w.place for update of t;
      -- A statement of its own: once they are locked, the next one sees what others have counted.
      select w.sum into exceeded
        from unnest(sums, names, maximums) with ordinality w (sum, name, maximum, place)
          join upload_totals t on t.day = on_day and t.sum = w.sum and t.name = w.name
        where t.bytes + weight > w.maximum
        order by w.place limit 1;
      if exceeded is null then
        update upload_totals t set bytes = t.bytes + weight
          from unnest(sums, names) w (sum, name)
          where t.day = on_day and t.sum = w.sum and t.name = w.name;
      end if;
      return exceeded;
    end $$`
])
