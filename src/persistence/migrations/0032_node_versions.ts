import { migration } from "../shared/migration.ts"

// As in the rules of the library. Numbers in the database change by a migration only.
const draftsMax = 1000

const versions = [
  `alter table node_versions
    -- Versions are numbered from 1 in the order in which they were applied, so that any part of a long history is
    -- found at once; null while it is a draft.
    add column ordinal integer check (ordinal > 0),
    -- The description that the content gives the page; null if the content is the page's own.
    add column excerpt text,
    -- The fields that the siblings shared when the properties were written; null if the properties are the page's own.
    add column known_fields text[],
    -- About how many bytes it takes in an answer, but for what every version has.
    add column weight integer not null generated always as (
      coalesce(octet_length(content), 0) + octet_length(properties::text) + octet_length(meta::text)) stored`,
  `update node_versions v set ordinal = applied.place from (
      select id, row_number() over (partition by node_id order by updated_at, id)::int as place
      from node_versions where status = 'applied'
    ) applied where v.id = applied.id`,
  `alter table node_versions
    add constraint node_versions_numbered check ((status = 'applied') = (ordinal is not null))`,
  `drop index node_versions_newest`,
  `create unique index node_versions_ordinal on node_versions (node_id, ordinal)`
]

const drafts = [
  // How many drafts each account has that are neither applied nor deleted.
  `create table node_draft_counts (
    account_id text primary key references accounts (id) on delete cascade,
    drafts integer not null constraint node_drafts_number check (drafts between 0 and ${draftsMax})
  )`,
  `insert into node_draft_counts (account_id, drafts)
    select author_id, count(*)::int from node_versions where status = 'draft' group by author_id`,
  `create function count_node_drafts() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into node_draft_counts as known (account_id, drafts) values (new.author_id, 1)
          on conflict (account_id) do update set drafts = known.drafts + 1;
      else
        update node_draft_counts set drafts = drafts - 1 where account_id = old.author_id;
      end if;
      return null;
    end $$`,
  `create trigger node_versions_drafts_insert after insert on node_versions
    for each row when (new.status = 'draft') execute function count_node_drafts()`,
  `create trigger node_versions_drafts_applied after update of status on node_versions
    for each row when (old.status = 'draft' and new.status <> 'draft') execute function count_node_drafts()`,
  `create trigger node_versions_drafts_delete after delete on node_versions
    for each row when (old.status = 'draft') execute function count_node_drafts()`
]

export default migration([...versions, ...drafts])
