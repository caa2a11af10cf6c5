import { migration } from "../shared/migration.ts"

const visibilities = ["draft", "unlisted", "review", "published"]

const countOf = (visibility: string) =>
  `(select count(*) from calendar_events where deleted_at is null and visibility = '${visibility}')`

/** Whether a row counts as one with this visibility. A row that is not there is null. */
const counts = (row: "new" | "old", visibility: string) =>
  `coalesce(${row}.deleted_at is null and ${row}.visibility = '${visibility}', false)::int`

export default migration([
  // How many events there are of each visibility. Several rows, and each connection has its own, so that writers
  // rarely wait. Of a single row the numbers may be negative.
  `create table calendar_totals (
    shard smallint primary key,
    ${visibilities.map((visibility) => `${visibility} integer not null default 0`).join(",\n    ")}
  )`,
  `insert into calendar_totals (shard) select generate_series(0, 15)`,
  `update calendar_totals set ${visibilities.map((visibility) => `${visibility} = ${countOf(visibility)}`).join(", ")}
    where shard = 0`,
  `create function count_calendar_events() returns trigger language plpgsql as $$
    begin
      update calendar_totals set
          ${visibilities.map((one) => `${one} = ${one} + ${counts("new", one)} - ${counts("old", one)}`).join(",\n          ")}
        where shard = pg_backend_pid() % 16;
      return null;
    end $$`,
  // Deferred, so that a transaction takes the one row that others may wait for when it has taken all others.
  `create constraint trigger calendar_events_count after insert or update of visibility, deleted_at or delete
    on calendar_events deferrable initially deferred
    for each row execute function count_calendar_events()`
])
