/** What a write to a table sets off: triggers, what their functions write, and so on. */
import type { Catalogue, Trigger } from "./catalogue.ts"

export type Verb = "insert" | "update" | "delete"

export interface Write {
  readonly verb: Verb
  readonly table: string
  /** Of an update, the columns that it sets; undefined for any. */
  readonly columns: ReadonlyArray<string> | undefined
}

const verbs: Readonly<Record<string, Verb>> = {
  "insert into": "insert",
  "delete from": "delete",
  update: "update"
}

/** The end of a clause: where parentheses around it end, or one of these words stands outside of any within. */
const clauseOf = (text: string): string => {
  let depth = 0
  for (const { 0: part, index } of text.matchAll(/[();]|\b(?:from|where|returning)\b/g)) {
    if (part === "(") depth += 1
    else if (part === ")") depth -= 1
    if (depth < 0 || (depth === 0 && part !== ")")) return text.slice(0, index)
  }
  return text
}

/** What stands between commas outside of parentheses. */
const listed = (clause: string): ReadonlyArray<string> => {
  const parts = [""]
  let depth = 0
  for (const character of clause) {
    if (character === "(") depth += 1
    if (character === ")") depth -= 1
    if (character === "," && depth === 0) parts.push("")
    else parts[parts.length - 1] += character
  }
  return parts
}

const assigned = (rest: string): ReadonlyArray<string> =>
  listed(clauseOf(rest)).flatMap((part) => /^\s*(\w+)\s*=/.exec(part)?.[1] ?? [])

/** What the body of a function writes by itself. */
const writesIn = (body: string, tables: ReadonlySet<string>): ReadonlyArray<Write> =>
  [...body.matchAll(/\b(insert into|delete from|update)\s+(\w+)/g)].flatMap(
    ({ 0: all, 1: how = "", 2: table = "", index }) => {
      const verb = verbs[how]
      if (verb === undefined || !tables.has(table)) return []
      const rest = body.slice(index + all.length)
      const set = verb === "update" ? /^(?:\s+(?!set\b)\w+)?\s+set\s/.exec(rest) : null
      const write: Write = { verb, table, columns: set ? assigned(rest.slice(set[0].length)) : undefined }
      const conflict = /\bon conflict[^;]*?\bdo update\s+set\s/.exec(
        verb === "insert" ? (rest.split(";")[0] ?? "") : ""
      )
      return conflict
        ? [
            write,
            { verb: "update", table, columns: assigned(rest.slice(conflict.index + conflict[0].length)) }
          ]
        : [write]
    }
  )

const keyOf = ({ columns, table, verb }: Write) => `${verb} ${table} ${columns?.toSorted().join(",") ?? "*"}`

const distinct = (writes: ReadonlyArray<Write>) => [
  ...new Map(writes.map((write) => [keyOf(write), write])).values()
]

export const effectsOf = ({ columns, routines, triggers }: Catalogue) => {
  const tables = new Set(columns.map(({ table }) => table))
  const bodies = new Map(routines.map(({ body, name }) => [name, body]))

  /** What a function writes, and those that it calls. */
  const writesOf = (routine: string, called: ReadonlySet<string> = new Set()): ReadonlyArray<Write> => {
    const body = bodies.get(routine) ?? ""
    const seen = new Set([...called, routine])
    const callees = [...bodies.keys()].filter(
      (name) => !seen.has(name) && new RegExp(`\\b${name}\\(`).test(body)
    )
    return distinct([...writesIn(body, tables), ...callees.flatMap((name) => writesOf(name, seen))])
  }

  /** The columns that change with these, as they are made of them. */
  const changed = ({ columns: set, table }: Write): ReadonlySet<string> | undefined =>
    set &&
    new Set([
      ...set,
      ...columns.flatMap((column) =>
        column.table === table &&
        set.some((name) => new RegExp(`\\b${name}\\b`).test(column.expression ?? ""))
          ? [column.name]
          : []
      )
    ])

  const isSetOff = (trigger: Trigger, write: Write): boolean => {
    if (trigger.table !== write.table || !trigger.events.includes(write.verb)) return false
    const change = changed(write)
    if (write.verb !== "update" || change === undefined) return true
    if (trigger.columns.length > 0 && !trigger.columns.some((column) => change.has(column))) return false
    // A condition on what a row was before is one on what changes.
    const compared = [...(trigger.condition ?? "").matchAll(/\bold\.(\w+|\*)/g)].map(
      ([, column = ""]) => column
    )
    return compared.length === 0 || compared.some((column) => column === "*" || change.has(column))
  }

  /** What goes with the rows of a table, or is changed as they go. */
  const followers = (table: string): ReadonlyArray<Write> =>
    columns.flatMap(({ deletion, name, refers, table: other }): ReadonlyArray<Write> => {
      if (refers !== table) return []
      if (deletion === "cascade") return [{ verb: "delete", table: other, columns: undefined }]
      return deletion === "set null" ? [{ verb: "update", table: other, columns: [name] }] : []
    })

  const triggersOf = (write: Write) => triggers.filter((trigger) => isSetOff(trigger, write))

  const next = (write: Write): ReadonlyArray<Write> => [
    ...triggersOf(write).flatMap(({ routine }) => writesOf(routine)),
    ...(write.verb === "delete" ? followers(write.table) : [])
  ]

  /** The tables that a write may change beside its own, by all that it sets off. */
  const reached = (write: Write): ReadonlyArray<string> => {
    const seen = new Map<string, Write>()
    const waiting = [...next(write)]
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      if (seen.has(keyOf(one))) continue
      seen.set(keyOf(one), one)
      waiting.push(...next(one))
    }
    return [...new Set([...seen.values()].map(({ table }) => table))]
      .filter((name) => name !== write.table)
      .toSorted()
  }

  return { followers, reached, triggersOf, writesOf }
}
