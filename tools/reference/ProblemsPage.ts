/** Every problem, and which operations may answer with it. */

import type { ProblemType } from "../../src/domain/shared/Problem.ts"
import { ForumApi } from "../../src/http/Api.ts"
import { listAt, objectAt, textAt } from "../../src/http/document/Json.ts"
import { catalogueOf } from "../../src/http/document/ProblemCatalogue.ts"
import { areas, operations, schemas } from "./Declared.ts"
import { byName, code, linkTo, page, parts, placeOf, table } from "./Markdown.ts"
import { typeText } from "./SchemaText.ts"

const problems = catalogueOf(ForumApi)

/** The metadata of problems by their types, as the description has it. */
const metadataOf = (problem: ProblemType) => {
  const schema = Object.values(schemas).find(
    (one) => objectAt(objectAt(one, "properties"), "type").const === problem.type
  )
  return objectAt(objectAt(schema, "properties"), "metadata")
}

const metadataRows = (problem: ProblemType): ReadonlyArray<ReadonlyArray<string>> => {
  const metadata = metadataOf(problem)
  const required = listAt(metadata, "required")
  return Object.entries(objectAt(metadata, "properties")).map(([name, field]) => [
    code(name),
    `${typeText(field)}${required.includes(name) ? "" : ", may be absent"}`,
    textAt(field, "description") ?? ""
  ])
}

const declaring = (problem: ProblemType) =>
  operations.filter(({ problems }) => problems.includes(problem.name))

/** Which operations declare it, in as few words as say exactly which. */
const operationsText = (problem: ProblemType): string => {
  const found = declaring(problem)
  if (found.length === 0) return "none; it is of requests that reach no operation."
  const links = (list: typeof operations) => list.map(({ id }) => linkTo("operations.md", id)).join(", ")
  if (found.length === operations.length) return "all."
  if (found.length <= operations.length / 2) return `${links(found)}.`
  return `all but ${links(operations.filter((one) => !found.includes(one)))}.`
}

const general = "Any request"
const several = "Several areas"

/** Where a problem stands: at its area, if one has it alone. */
const sectionOf = (problem: ProblemType): string => {
  const found = declaring(problem)
  if (found.length === 0 || found.length > operations.length / 5) return general
  const names = new Set(found.map(({ area }) => area))
  const [name = several] = names
  return names.size === 1 ? name : several
}

const problemLines = (problem: ProblemType): ReadonlyArray<string> => {
  const metadata = metadataRows(problem)
  return parts(
    [`### ${problem.name}`],
    [`**${problem.status}**: ${problem.title}`],
    [problem.explanation],
    metadata.length === 0 ? [] : table(["Metadata", "Type", "Meaning"], metadata),
    [`Operations: ${operationsText(problem)}`]
  )
}

const sections = Map.groupBy(problems, sectionOf)

const statusRows = [...Map.groupBy(problems, ({ status }) => status)]
  .toSorted(([one], [other]) => one - other)
  .map(([status, list]) => [
    String(status),
    list
      .toSorted(byName(({ name }) => name))
      .map(({ name }) => `[${name}](#${name})`)
      .join(", ")
  ])

export const problemsPage = (): string =>
  page(
    "Problems: what may go wrong",
    [
      `${problems.length} problems (RFC 9457). The \`type\` of an answer is \`/api/problems/\` and the name, which is also the`,
      "address of its explanation. Every operation may answer with problems that are added later: what a program",
      "does not know it treats by its status ([what stays compatible](../compatibility.md))."
    ],
    [general, several, ...areas.map(({ name }) => name)]
      .filter((name) => sections.has(name))
      .map((name) => `- [${name}](#${placeOf(name)}): ${sections.get(name)?.length}`),
    ["## By status"],
    table(["Status", "Problems"], statusRows),
    ...[general, several, ...areas.map(({ name }) => name)].flatMap((name) => {
      const list = sections.get(name)
      return list === undefined ? [] : [[`## ${name}`], ...list.map(problemLines)]
    })
  )
