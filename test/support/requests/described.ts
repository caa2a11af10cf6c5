/** Whether the description refuses what the service refuses for its shape. */
import { isObject, type JsonObject, listAt, objectAt, textAt } from "../../../src/http/document/Json.ts"
import type { Answer } from "../answers.ts"
import { descriptionOf, plainMismatches } from "../conformance.ts"

interface Issue {
  readonly in: string
  readonly path: string
  readonly message: string
}

/** Rules that a description cannot say, by what the service says of them, and why. */
const unsaid: ReadonlyArray<readonly [rule: RegExp, why: string]> = [
  [/without NUL characters and unpaired surrogates/, "a pattern for it would have to stand at every string"],
  [/nested \d+ levels deep/, "the depth of a body is no rule of any field"],
  [/at least \d+ bytes/, "lengths are counted in characters there"],
  [/an http or https address/, "which addresses can be read is told by a parser, not by a pattern"],
  [
    /not blank|of which something can be seen/,
    "patterns know no invisible characters, nor that a known field keeps its name"
  ],
  [/an address that can be registered/, "which addresses every program reads alike is told by a parser"],
  [/characters together/, "there is no rule for the length of all elements"],
  [/a hash by Argon2id/, "what a hash costs are numbers within a text"],
  [/a phone number in international form/, "what is around and between the digits is removed before"],
  [/a colour of CSS/, "there are 148 names of colours"],
  [/a cursor/, "what is a cursor is told by its checksum"],
  [/names of changes, separated by commas/, "how often and in which order they are named is free"],
  [/a whole number from/, "numbers in an address are texts"],
  [/a slug: letters/, "letters of all scripts, after they were brought into one form"],
  [/at most \d+ characters/, "of a text before what is around it is removed, or of repeated parameters"]
]

const isUnsaid = ({ message }: Issue) => unsaid.some(([rule]) => rule.test(message))

const parsed = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const bodyPasses = (definition: JsonObject, text: string | undefined): boolean => {
  const content = objectAt(objectAt(definition, "requestBody"), "content")
  const body = text === undefined ? undefined : parsed(text)
  if (body === undefined || !("application/json" in content)) return false
  return plainMismatches(objectAt(objectAt(content, "application/json"), "schema"), body.value).length === 0
}

/** A parameter that is given once and is no list. */
const parameterPasses = (definition: JsonObject, name: string, path: string): boolean => {
  const parameter = listAt(definition, "parameters").find(
    (one) => isObject(one) && one.in === "query" && textAt(one, "name") === name
  )
  const [value, ...others] = new URL(path, "http://forum.test").searchParams.getAll(name)
  if (!isObject(parameter) || value === undefined || others.length > 0) return false
  const schema = objectAt(parameter, "schema")
  return schema.type === "string" && plainMismatches(schema, value).length === 0
}

/** What the service refuses for its shape although the description takes it. */
export const looserThanRules = (
  operation: string,
  { path, text }: { readonly path: string; readonly text: string | undefined },
  { json, status }: Pick<Answer, "json" | "status">
): ReadonlyArray<string> => {
  if (status !== 400 || json?.type !== "/api/problems/invalid-request") return []
  const issues: ReadonlyArray<Issue> = json.metadata.issues
  const definition = descriptionOf(operation)
  return issues
    .filter((issue) => !isUnsaid(issue))
    .filter(({ in: slot, path: place }) =>
      slot === "body"
        ? bodyPasses(definition, text)
        : slot === "query" && parameterPasses(definition, place.split(".", 1)[0] ?? "", path)
    )
    .map(
      ({ in: slot, message, path: place }) =>
        `the description takes what is refused at ${slot} ${place}: ${message}`
    )
}
