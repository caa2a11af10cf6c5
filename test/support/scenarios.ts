/**
 * What each operation is called with, what it answers and how many statements
 * it runs for that: the rows of `test/<area>/scenarios.ts`, found by that name.
 */
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Effect, Scope } from "effect"
import type { HttpClient, HttpServer } from "effect/http"
import type { SqlClient } from "effect/sql"
import type { OAuthErrorCode } from "../../src/domain/shared/OAuthError.ts"
import type { EventConsumers } from "../../src/persistence/event/EventConsumersSql.ts"
import type { Answer } from "./answers.ts"
import type { Cast } from "./people.ts"
import type { ProblemClass } from "./problems.ts"

export interface Scenario {
  /** The id of the operation. */
  readonly operation: string
  /** What is particular about this call, for messages. */
  readonly when?: string
  readonly call: Effect.Effect<Answer, unknown, HttpClient.HttpClient>
  /** The status of a success, the problem of a failure, or its code where it has the form of OAuth. */
  readonly expects: number | ProblemClass<object> | OAuthErrorCode
  /** How many statements the call runs, `begin` and `commit` aside. Every operation has one such budget at least. */
  readonly statements?: number | undefined
  /** Whether it succeeds once it is kept what to do, of which the service does later what fails at first. */
  readonly goesOn?: boolean
}

/** Operations that succeed only with what the service in the tests lacks: a language model. */
export const unavailable: ReadonlyArray<string> = [
  "NodeGenerateTitle",
  "NodeGenerateTags",
  "NodeGenerateContent"
]

/** Prepares what the calls of an area need, for the cast in a fresh database, and lists the calls in their order. */
export type Scenarios = Effect.Effect<
  ReadonlyArray<Scenario>,
  unknown,
  Cast | HttpClient.HttpClient | HttpServer.HttpServer | Scope.Scope | SqlClient.SqlClient | EventConsumers
>

const tests = fileURLToPath(new URL("..", import.meta.url))

/** The scenarios of every area that has some. */
export const areas: ReadonlyArray<{ readonly area: string; readonly scenarios: Scenarios }> =
  await Promise.all(
    readdirSync(tests, { recursive: true, encoding: "utf8" })
      .filter((path) => /^[a-z]+\/scenarios\.ts$/.test(path) && !path.startsWith("support/"))
      .sort()
      .map(async (path) => {
        const { scenarios }: { readonly scenarios: Scenarios } = await import(`${tests}${path}`)
        return { area: path.replace("/scenarios.ts", ""), scenarios }
      })
  )

export const nameOf = ({ operation, when }: Scenario) =>
  when === undefined ? operation : `${operation}, ${when}`

export const isSuccess = ({ expects }: Scenario): boolean => typeof expects === "number"

/** Says that a scenario ran another number of statements than its budget, and which. */
export const overrunOf = (scenario: Scenario, statements: ReadonlyArray<string>) => {
  if (scenario.statements === undefined || scenario.statements === statements.length) return []
  const listed = statements.map((statement) => `    ${statement.replace(/\s+/g, " ").slice(0, 160)}`)
  return [`  ${nameOf(scenario)}: ${statements.length} statements, not ${scenario.statements}`, ...listed]
}
