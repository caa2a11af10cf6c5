import { migration } from "../shared/migration.ts"

// As in the rules of the library. Numbers in the database change by a migration only.
const fieldsMax = 100

const bytesOf = (
  column: string
) => `(select coalesce(sum(octet_length(name) + octet_length(sort) + 100), 0)::int
  from property_fields where ${column} = n.id)`

/** Fields belong to the children of a page, or to one page of the top level: pages there share none. */
const owners = [
  `alter table nodes
    -- As field_bytes, of the fields that it has at the top level.
    add column own_field_bytes integer not null default 0 check (own_field_bytes >= 0)`,
  `alter table property_fields drop constraint property_fields_name`,
  `alter table property_fields add column node_id text references nodes (id) on delete cascade`,
  // Two fields may exchange their names in one statement.
  `alter table property_fields
    add constraint property_fields_name unique (parent_id, name) deferrable,
    add constraint property_fields_own_name unique (node_id, name) deferrable`,
  `create or replace function check_property_fields() returns trigger language plpgsql as $$
    declare
      parent text;
      page text;
      number integer;
    begin
      for parent, page in select distinct parent_id, node_id from changed loop
        -- Each by its index.
        if page is null then
          select count(*) into number from property_fields where parent_id = parent;
        else
          select count(*) into number from property_fields where node_id = page;
        end if;
        if number > ${fieldsMax} then
          raise exception 'A group of pages has too many fields'
            using errcode = 'check_violation', constraint = 'property_fields_number', table = 'property_fields';
        end if;
      end loop;
      return null;
    end $$`,
  // Whoever deletes pages holds the lock of the tree, so that nobody adds one to the group.
  `create or replace function delete_fields_of_nobody() returns trigger language plpgsql as $$
    begin
      delete from property_fields f where parent_id in (select parent_id from gone)
        and not exists (select from nodes n where n.parent_id = f.parent_id);
      return null;
    end $$`,
  `create or replace function property_fields_show() returns trigger language plpgsql as $$
    declare
      -- The plan for an array is right for thousands of pages, too.
      pages constant text[] := array(select parent_id from changed where parent_id is not null
        union select node_id from changed where node_id is not null);
    begin
      update nodes n set version = version + 1, field_bytes = ${bytesOf("parent_id")},
        own_field_bytes = ${bytesOf("node_id")} where id = any(pages);
      return null;
    end $$`
]

// An id as the service makes them: the second, then a number. They sort as the numbers do.
const digit = (number: string) => `substr('0123456789abcdefghijklmnopqrstuv', (${number})::integer + 1, 1)`
const idOf = (number: string) => `(
  select string_agg(${digit("(extract(epoch from now())::bigint << 8 >> place) & 31")}, '' order by place desc)
    from generate_series(0, 35, 5) place
  ) || (
  select string_agg(${digit(`${number} >> place & 31`)}, '' order by place desc) from generate_series(0, 50, 5) place
  ) || '0'`

/**
 * Pages of the top level shared their fields. The first keeps them, and each other one gets fields of its own that are the
 * same, for its values and for all that its versions say.
 */
const copies = [
  `create temporary table field_copies on commit drop as
    select page_id, fid, ${idOf("number")} as copy, name, type, sort
    from (
      select n.id as page_id, f.*, row_number() over (order by n.id, f.sort, f.fid) as number
      from nodes n cross join property_fields f
      where n.parent_id is null and f.parent_id is null
        and n.id <> (select min(id) from nodes where parent_id is null)
    ) numbered`,
  `create unique index on field_copies (page_id, fid)`,
  `analyze field_copies`,
  `insert into property_fields (fid, node_id, name, type, sort)
    select copy, page_id, name, type, sort from field_copies`,
  `update property_values v set fid = c.copy from field_copies c where v.node_id = c.page_id and v.fid = c.fid`,
  `update node_versions v set
      properties = (
        select jsonb_agg(case when c.copy is null then entry else jsonb_set(entry, '{fid}', to_jsonb(c.copy)) end
          order by place)
        from jsonb_array_elements(v.properties) with ordinality e (entry, place)
        left join field_copies c on c.page_id = v.node_id and c.fid = entry ->> 'fid'
      ) where properties <> '[]' and node_id in (select page_id from field_copies)`,
  `update node_versions v set
      known_fields = array(select coalesce(c.copy, known.fid) from unnest(v.known_fields) known (fid)
        left join field_copies c on c.page_id = v.node_id and c.fid = known.fid)
      where cardinality(known_fields) > 0 and node_id in (select page_id from field_copies)`,
  `update property_fields f set node_id = (select min(id) from nodes where parent_id is null)
    where parent_id is null and node_id is null`,
  `delete from property_fields where parent_id is null and node_id is null`,
  `set constraints all immediate`,
  `alter table property_fields
    add constraint property_fields_owner check (num_nonnulls(parent_id, node_id) = 1)`
]

/** What versions say of a property is all of it, and what drafts know of fields is what these were then. */
const versions = [
  `update node_versions v set
      properties = (
        select jsonb_agg(case when f.fid is null then entry
            else jsonb_build_object('type', f.type, 'sort', f.sort) || entry
              || jsonb_build_object('name', coalesce(nullif(entry ->> 'name', ''), f.name)) end order by place)
        from jsonb_array_elements(v.properties) with ordinality e (entry, place)
        left join property_fields f on f.fid = entry ->> 'fid'
      )
    where exists (
      select from jsonb_array_elements(v.properties) entry
      where entry ? 'fid' and not (entry ? 'type' and entry ? 'sort' and entry ->> 'name' <> ''))`,
  `alter table node_versions add column known jsonb check (jsonb_typeof(known) = 'array')`,
  `update node_versions v set known = coalesce((
      select jsonb_agg(jsonb_build_object('fid', f.fid, 'name', f.name, 'type', f.type, 'sort', f.sort))
      from property_fields f where f.fid = any(v.known_fields)), '[]')
    where known_fields is not null`,
  `alter table node_versions drop column known_fields`,
  // The fields of the page when the properties were written; null if the properties are the page's own.
  `alter table node_versions rename column known to known_fields`
]

const space = "[ \\t\\n]*"
const date = "([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
const hours = "([01][0-9]|2[0-3])"
const minutes = "([0-5][0-9])"
const seconds = "(?::((?:[0-5][0-9]|60)(?:[.][0-9]{1,9})?))?"
const zone = `(?:[Zz]|([+-])${hours}:${minutes})?`
const instant = `^${space}${date}(?:[Tt ]${hours}:${minutes}${seconds}${zone})?${space}$`

const leapSeconds = [
  `create or replace function property_instant(value text) returns timestamp language plpgsql immutable parallel safe as $$
    declare
      part text[];
      day date;
    begin
      if char_length(value) > 100 then return null; end if;
      part := regexp_match(value, '${instant}');
      if part is null or part[1] = '0000' then return null; end if;
      day := make_date(part[1]::integer, part[2]::integer, 1) + (part[3]::integer - 1);
      -- The month has no such day.
      if extract(month from day) <> part[2]::integer then return null; end if;
      return day + make_interval(hours => coalesce(part[4]::integer, 0), mins => coalesce(part[5]::integer, 0),
          -- A leap second is the last instant of its minute, as a clock without them has it.
          secs => least(coalesce(part[6]::double precision, 0), 59.999999))
        - case when part[7] = '-' then -1 else 1 end
          * make_interval(hours => coalesce(part[8]::integer, 0), mins => coalesce(part[9]::integer, 0));
    end $$`,
  `update property_values set value = value where value ~ ':60'`
]

export default migration([...owners, ...copies, ...versions, ...leapSeconds])
