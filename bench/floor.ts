/**
 * The bare floor: `node:http`, a driver, `JSON.stringify`, and the very
 * statements that the service runs. No checks, no headers, no logs, no types.
 *
 * Arguments: driver, port, file of recorded statements.
 */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import postgres from "postgres"
import { clientOptions } from "../src/layers/Database.ts"
import type { Recorded } from "./recorder.ts"

const [driver = "postgres", port = "0", file = ""] = process.argv.slice(2)
const url = process.env.DATABASE_URL ?? ""
const recorded: Record<string, ReadonlyArray<Recorded>> = JSON.parse(
  readFileSync(file, "utf8"),
  (_key, value) => {
    if (typeof value !== "object" || value === null) return value
    if ("$bytes" in value) return Buffer.from(value.$bytes, "hex")
    // One driver writes JSON itself, the other takes it written.
    if ("$json" in value) return driver === "sql-pg" ? JSON.stringify(value.$json) : value.$json
    return value
  }
)

interface Driver {
  readonly run: (statements: ReadonlyArray<Recorded>) => Promise<ReadonlyArray<unknown>>
  readonly transact: (statements: ReadonlyArray<Recorded>) => Promise<ReadonlyArray<unknown>>
}

const byPostgres = (): Driver => {
  const sql = postgres(url, { max: 10, prepare: true })
  const one =
    (on: postgres.Sql | postgres.TransactionSql) =>
    ({ params, text }: Recorded) =>
      on.unsafe(
        text,
        params.map((value) => value as postgres.ParameterOrJSON<never>),
        { prepare: true }
      )
  return {
    run: async (statements) => {
      let rows: ReadonlyArray<unknown> = []
      for (const statement of statements) rows = await one(sql)(statement)
      return rows
    },
    transact: (statements) =>
      sql.begin(async (transaction) => {
        let rows: ReadonlyArray<unknown> = []
        for (const statement of statements) rows = await one(transaction)(statement)
        return rows
      })
  }
}

const bySqlPg = async (): Promise<Driver> => {
  const layer = PgClient.layer({ ...clientOptions, url: Redacted.make(url), maxConnections: 10 })
  const context = await Effect.runPromise(Layer.build(layer).pipe(Scope.provide(Scope.makeUnsafe())))
  const sql = Context.get(context, SqlClient.SqlClient)
  const all = Effect.fnUntraced(function* (statements: ReadonlyArray<Recorded>) {
    let rows: ReadonlyArray<unknown> = []
    for (const { params, text } of statements) rows = yield* sql.unsafe(text, params)
    return rows
  })
  return {
    run: (statements) => Effect.runPromise(all(statements)),
    transact: (statements) => Effect.runPromise(sql.withTransaction(all(statements)))
  }
}

const database = driver === "sql-pg" ? await bySqlPg() : byPostgres()

let replies = 0
/** A reply's statements with an id that has not been used. */
const withNewId = (statements: ReadonlyArray<Recorded>, id: string): ReadonlyArray<Recorded> => {
  const fresh = `f${process.pid.toString(16).padStart(7, "0")}${(replies++).toString(16).padStart(11, "0")}0`
  return statements.map(({ params, text }) => ({
    text,
    params: params.map((value) => (value === id ? fresh : value))
  }))
}

const answer = async (name: string): Promise<string> => {
  const statements = recorded[name]
  if (statements === undefined) return "1.0.0"
  if (name !== "reply") return JSON.stringify(await database.run(statements))
  const id = String(recorded.replyId?.[0]?.text)
  const [caller, ...rest] = withNewId(statements, id)
  const read = rest.at(-1)
  if (caller === undefined || read === undefined) throw new Error("a reply takes more statements")
  await database.run([caller])
  await database.transact(rest.slice(0, -1))
  return JSON.stringify(await database.run([read]))
}

createServer((request, response) => {
  request.resume()
  answer((request.url ?? "/").slice(1)).then(
    (body) => {
      response.setHeader("content-type", "application/json")
      response.setHeader("content-length", Buffer.byteLength(body))
      response.end(body)
    },
    (error) => {
      response.statusCode = 500
      response.end(String(error))
    }
  )
}).listen(Number(port), "127.0.0.1")
