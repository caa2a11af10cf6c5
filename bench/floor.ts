/**
 * The floors: what the answers cost without the service. `node:http`, a driver
 * and `JSON.stringify`, with either the statements that the service runs or
 * those of the pages that are written by hand.
 *
 * Argument: the file of recorded statements. From the environment: DATABASE_URL,
 * PORT. Paths: `/<recorded or by-hand>/<page>/<thread id>`.
 */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { connect, type Query } from "./floorDriver.ts"
import { pages } from "./floorPages.ts"
import { type Recorded, revive } from "./recording.ts"

const [file = ""] = process.argv.slice(2)
const { DATABASE_URL = "", PORT = "0" } = process.env
const driver = await connect(DATABASE_URL)
const recorded: Readonly<Record<string, Recorded>> = JSON.parse(readFileSync(file, "utf8"), revive)

// The driver returns 64-bit integers as BigInt, which JSON does not know.
Object.defineProperty(BigInt.prototype, "toJSON", {
  value(this: bigint) {
    return Number(this)
  }
})

let replays = 0

/** A write's statements, for another thread and with an id that has not been used. */
const rewritten = ({ created = "", statements, thread }: Recorded, id: string) => {
  const fresh = `e${process.pid.toString(16).padStart(7, "0")}${(replays++).toString(16).padStart(11, "0")}0`
  const rewrite = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rewrite)
    return typeof value === "string" ? value.replaceAll(created, fresh).replaceAll(thread, id) : value
  }
  return statements.map(({ params, text }) => ({ text, params: params.map(rewrite) }))
}

const replay = async (page: Recorded, id: string) => {
  const all = async (query: Query) => {
    const answers: Array<unknown> = []
    const statements = page.created === undefined ? page.statements : rewritten(page, id)
    for (const { params, text } of statements) answers.push(await query(text, params))
    return answers
  }
  return page.created === undefined ? all(driver.query) : driver.transaction(all)
}

const answer = async (path: string): Promise<unknown> => {
  const [, kind, page = "", id = ""] = path.split("/")
  const statements = recorded[page]
  if (kind === "recorded" && statements !== undefined) return replay(statements, id)
  const byHand = pages[page]
  if (kind === "by-hand" && byHand !== undefined) return byHand(driver, id)
  throw new Error(`There is no page ${path}`)
}

createServer((request, response) => {
  request.resume()
  answer(request.url ?? "").then(
    (value) => {
      const body = JSON.stringify(value)
      response.setHeader("content-type", "application/json")
      response.setHeader("content-length", Buffer.byteLength(body))
      response.end(body)
    },
    (error) => {
      response.statusCode = 500
      response.end(String(error))
    }
  )
}).listen(Number(PORT), "127.0.0.1")
