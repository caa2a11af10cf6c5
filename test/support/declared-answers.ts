/**
 * After a whole run, fails it if an operation declares an answer that no test
 * has seen: each success status, and each problem. What is seen is recorded
 * where answers are checked against the API's description, by every worker
 * into one directory.
 */
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { inject } from "vitest"
import type { TestProject } from "vitest/node"
import { ForumApi } from "../../src/http/Api.ts"
import { OpenOperation } from "../../src/http/contract/AccessPolicies.ts"
import { documentOf } from "../../src/http/document/Document.ts"
import { isObject, type JsonObject, listAt, objectAt, textAt } from "../../src/http/document/Json.ts"
import type { Answer } from "./answers.ts"

declare module "vitest" {
  export interface ProvidedContext {
    seenAnswers: string
  }
}

const recorded = new Set<string>()

const oauthFailure = "oauth-error"

/** The name of a problem, or that a failure has the form of OAuth. */
const failureOf = (json: Answer["json"]): string =>
  typeof json?.error === "string" ? oauthFailure : String(json?.type).replace("/api/problems/", "")

/** Records that an operation gave this answer. */
export const recordAnswer = (operation: string, { json, status }: Answer): void => {
  const problem = status < 400 ? "" : ` ${failureOf(json)}`
  const line = `${operation} ${status}${problem}`
  if (recorded.has(line)) return
  recorded.add(line)
  appendFileSync(join(inject("seenAnswers"), String(process.pid)), `${line}\n`)
}

const seenIn = (directory: string): ReadonlySet<string> =>
  new Set(readdirSync(directory).flatMap((name) => readFileSync(join(directory, name), "utf8").split("\n")))

/** The problems that a response of the description may carry, by the `type` that each component fixes. */
const problemsOf = (response: JsonObject, schemas: JsonObject): ReadonlyArray<string> => {
  const content = objectAt(response, "content")
  const schema = objectAt(objectAt(content, "application/problem+json"), "schema")
  const references = [schema, ...listAt(schema, "oneOf"), ...listAt(schema, "anyOf")]
  const known = references.flatMap((reference) => {
    const component = textAt(reference, "$ref")?.split("/").at(-1)
    if (component === undefined) return []
    const [type] = JSON.stringify(schemas[component]).match(/\/api\/problems\/[a-z-]+/) ?? []
    return type === undefined ? [component] : [type.replace("/api/problems/", "")]
  })
  return "application/json" in content ? [...known, oauthFailure] : known
}

/** The operations that answer all callers alike, and do not identify them. */
const openOperations = (): ReadonlySet<string> => {
  const ids = new Set<string>()
  HttpApi.reflect(ForumApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { annotations, identifier }, middleware }) => {
      if ([...middleware].some(({ key }) => key === OpenOperation.key)) {
        ids.add(Context.getOrElse(annotations, OpenApi.Identifier, () => identifier))
      }
    }
  })
  return ids
}

/** What happens to operations that use the storage. Those that identify no caller may use none. */
const ofStorage = new Set(["internal-error", "storage-unavailable", "deadline-exceeded"])

const answersOf = (
  operation: JsonObject,
  schemas: JsonObject,
  open: ReadonlySet<string>
): ReadonlyArray<string> => {
  const id = textAt(operation, "operationId") ?? ""
  return Object.entries(objectAt(operation, "responses")).flatMap(([status, response]) => {
    // The default stands for statuses that are not declared.
    if (!isObject(response) || status === "default") return []
    return status < "400"
      ? [`${id} ${status}`]
      : problemsOf(response, schemas)
          .filter((problem) => !open.has(id) || !ofStorage.has(problem))
          .map((problem) => `${id} ${status} ${problem}`)
  })
}

/** Every answer that the description of the API declares, except those that open operations may never give. */
export const declaredAnswers = (): ReadonlyArray<string> => {
  const document = documentOf(ForumApi, { publicUrl: new URL("http://forum.test"), version: "0" })
  const schemas = objectAt(objectAt(document, "components"), "schemas")
  const open = openOperations()
  return Object.values(objectAt(document, "paths"))
    .flatMap((path) => (isObject(path) ? Object.values(path).filter(isObject) : []))
    .flatMap((operation) => answersOf(operation, schemas, open))
}

/** Part of the tests cannot see everything. What failed may be why an answer was not seen, or hide that one was not. */
const ranWhole = async (project: TestProject): Promise<boolean> => {
  const files = await project.vitest.globTestSpecifications()
  const ran = new Set(
    project.vitest.state
      .getTestModules()
      .filter((module) => module.state() !== "pending" && module.state() !== "queued")
      .map((module) => module.moduleId)
  )
  return project.config.testNamePattern === undefined && files.every(({ moduleId }) => ran.has(moduleId))
}

export default function setup(project: TestProject) {
  const directory = mkdtempSync(join(tmpdir(), "forum-answers-"))
  project.provide("seenAnswers", directory)
  return async () => {
    const isWhole = await ranWhole(project)
    const seen = seenIn(directory)
    rmSync(directory, { recursive: true, force: true })
    const missing = isWhole ? declaredAnswers().filter((answer) => !seen.has(answer)) : []
    if (missing.length > 0) {
      project.vitest.logger.error(
        `\nNo test saw these answers, which the API declares:\n  ${missing.join("\n  ")}\n`
      )
      process.exitCode = 1
    }
  }
}
