import { migration } from "../shared/migration.ts"

// As in the rules of the library. Numbers in the database change by a migration only.
const fieldsMax = 100

// So much of a text is compared with others: an entry of an index has room for it in any script.
const textCompared = 255

// No number, instant or boolean is written with more characters.
const otherwiseCompared = 100

const space = "[ \\t\\n]*"
const number = `^${space}[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})?${space}$`

const date = "([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
const hours = "([01][0-9]|2[0-3])"
const minutes = "([0-5][0-9])"
const seconds = "(?::([0-5][0-9](?:[.][0-9]{1,9})?))?"
const zone = `(?:[Zz]|([+-])${hours}:${minutes})?`
const instant = `^${space}${date}(?:[Tt ]${hours}:${minutes}${seconds}${zone})?${space}$`

/** What a value is as a value of each type; null where it does not fit, so that pages are sorted as if they had none. */
const typed = [
  `create function property_number(value text) returns numeric language sql immutable parallel safe as $$
    select case when char_length(value) <= ${otherwiseCompared} and value ~ '${number}' then value::numeric end
  $$`,
  // In UTC, which a value without an offset is in as well.
  `create function property_instant(value text) returns timestamp language plpgsql immutable parallel safe as $$
    declare
      part text[];
      day date;
    begin
      if char_length(value) > ${otherwiseCompared} then return null; end if;
      part := regexp_match(value, '${instant}');
      if part is null or part[1] = '0000' then return null; end if;
      day := make_date(part[1]::integer, part[2]::integer, 1) + (part[3]::integer - 1);
      -- The month has no such day.
      if extract(month from day) <> part[2]::integer then return null; end if;
      return day + make_interval(hours => coalesce(part[4]::integer, 0), mins => coalesce(part[5]::integer, 0),
          secs => coalesce(part[6]::double precision, 0))
        - case when part[7] = '-' then -1 else 1 end
          * make_interval(hours => coalesce(part[8]::integer, 0), mins => coalesce(part[9]::integer, 0));
    end $$`,
  `create function property_boolean(value text) returns boolean language sql immutable parallel safe as $$
    select case when char_length(value) > ${otherwiseCompared} then null
      else case lower(btrim(value, e' \\t\\n'))
        when 'true' then true when 'yes' then true when 'on' then true when '1' then true
        when 'false' then false when 'no' then false when 'off' then false when '0' then false end end
  $$`,
  `alter table property_values
    add constraint property_values_value_some check (value <> ''),
    add column as_text text collate "C" generated always as (left(value, ${textCompared})) stored,
    add column as_number numeric generated always as (property_number(value)) stored,
    add column as_instant timestamp generated always as (property_instant(value)) stored,
    add column as_boolean boolean generated always as (property_boolean(value)) stored`,
  // Everything that sorting needs of the values of a field is in an index.
  `create index property_values_texts on property_values (fid, as_text, node_id)`,
  `create index property_values_numbers on property_values (fid, as_number, node_id) where as_number is not null`,
  `create index property_values_instants on property_values (fid, as_instant, node_id)
    where as_instant is not null`,
  `create index property_values_booleans on property_values (fid, as_boolean, node_id)
    where as_boolean is not null`,
  `drop index property_values_fid`
]

const siblings = [
  // With what decides who sees a page, so that no page is read for the number and the order of its siblings.
  `alter table nodes drop constraint nodes_siblings, add constraint nodes_siblings
    unique nulls not distinct (parent_id, position) include (id, owner_id, visibility)
    deferrable initially immediate`
]

const fields = [
  // Two fields may exchange their names in one statement.
  `alter table property_fields drop constraint property_fields_name,
    add constraint property_fields_name unique nulls not distinct (parent_id, name) deferrable`,
  // A group is found by its parent or by having none, each of which an index serves.
  `create or replace function check_property_fields() returns trigger language plpgsql as $$
    declare
      parent text;
      number integer;
    begin
      for parent in select distinct parent_id from changed loop
        if parent is null then
          select count(*) into number from property_fields where parent_id is null;
        else
          select count(*) into number from property_fields where parent_id = parent;
        end if;
        if number > ${fieldsMax} then
          raise exception 'A group of pages has too many fields'
            using errcode = 'check_violation', constraint = 'property_fields_number', table = 'property_fields';
        end if;
      end loop;
      return null;
    end $$`,
  // Whoever deletes pages holds the lock of the tree, so that nobody adds one to the group.
  `create function delete_fields_of_nobody() returns trigger language plpgsql as $$
    begin
      delete from property_fields f where parent_id in (select parent_id from gone)
        and not exists (select from nodes n where n.parent_id = f.parent_id);
      if exists (select from gone where parent_id is null)
        and not exists (select from nodes where parent_id is null) then
        delete from property_fields where parent_id is null;
      end if;
      return null;
    end $$`,
  `create trigger nodes_fields_of_nobody after delete on nodes referencing old table as gone
    for each statement execute function delete_fields_of_nobody()`
]

export default migration([...typed, ...siblings, ...fields])
