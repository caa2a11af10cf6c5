/** What was read of a service, as JSON of the fields that are wanted, by kind and id. */
import { Option, Schema } from "effect"
import type { Row, Scratch } from "../shared/Scratch.ts"

/** A schema that needs nothing else to read a value. */
export type Shape<A> = Schema.Decoder<A>

const tables = `
  create table if not exists things (
    kind text not null, id text not null, parent text not null default '', place integer not null default 0,
    json text not null default '', complete integer not null default 0,
    primary key (kind, id)) without rowid;
  create index if not exists things_of on things (kind, parent, place, id);
`

interface Placed {
  readonly parent?: string
  readonly place?: number
}

const idIn = (value: unknown): string =>
  typeof value === "object" && value !== null && "id" in value ? String(value.id) : ""

export const makeThings = (scratch: Scratch) => {
  scratch.exec(tables)

  const has = (kind: string, id: string) =>
    scratch.find("select 1 as found from things where kind = ? and id = ?", kind, id) !== undefined

  /** The value, if it has the shape; if not, the report says so of it. */
  const decode = <A>(kind: string, shape: Shape<A>, value: unknown, id = idIn(value)): A | undefined => {
    const read = Schema.decodeUnknownOption(shape)(value)
    if (Option.isSome(read)) return read.value
    scratch.tell(kind, id, "answer_unreadable")
    return undefined
  }

  return {
    decode,
    /** Notes a thing that is still to be asked for, unless it is known. Answers whether it was not. */
    expect: (kind: string, id: string, { parent = "", place = 0 }: Placed = {}): boolean =>
      scratch.run(
        "insert or ignore into things (kind, id, parent, place) values (?, ?, ?, ?)",
        kind,
        id,
        parent,
        place
      ).changes > 0,
    /** Keeps a thing; one that is known becomes this. */
    keep: (kind: string, id: string, value: unknown, { parent = "", place = 0 }: Placed = {}): boolean => {
      const isNew = !has(kind, id)
      scratch.run(
        `insert into things (kind, id, parent, place, json) values (?, ?, ?, ?, ?)
          on conflict (kind, id) do update set json = excluded.json, parent = excluded.parent, place = excluded.place`,
        kind,
        id,
        parent,
        place,
        JSON.stringify(value)
      )
      return isNew
    },
    /** Gives a thing that was expected what it is; where it is stays. */
    fill: (kind: string, id: string, value: unknown) =>
      scratch.run("update things set json = ? where kind = ? and id = ?", JSON.stringify(value), kind, id),
    /** The same, unless it is complete. */
    refine: (kind: string, id: string, value: unknown) =>
      scratch.run(
        "update things set json = ? where kind = ? and id = ? and complete = 0",
        JSON.stringify(value),
        kind,
        id
      ),
    complete: (kind: string, id: string) =>
      scratch.run("update things set complete = 1 where kind = ? and id = ?", kind, id),
    /** Those of a kind after an id that are still to be asked for. */
    incomplete: (kind: string, after: string, most: number): ReadonlyArray<Row> =>
      scratch.all(
        "select id, parent, json from things where kind = ? and complete = 0 and id > ? order by id limit ?",
        kind,
        after,
        most
      )
  } as const
}

export type Things = ReturnType<typeof makeThings>

/** The things of a kind, as they were kept, by their ids or in another order; or the one with an id. */
export const kept = function* <A>(
  scratch: Scratch,
  kind: string,
  shape: Shape<A>,
  order = "id",
  id?: string
): Generator<{ readonly value: A; readonly id: string; readonly parent: string; readonly place: number }> {
  const decode = Schema.decodeUnknownSync(shape)
  const rows =
    id === undefined
      ? scratch.each(`select * from things where kind = ? and json <> '' order by ${order}`, kind)
      : scratch.all("select * from things where kind = ? and json <> '' and id = ?", kind, id)
  for (const { id, json, parent, place } of rows)
    yield {
      id: String(id),
      parent: String(parent),
      place: Number(place),
      value: decode(JSON.parse(String(json)))
    }
}
