/** Every bound: of what is sent, of how much runs and waits, and of what there may be. */
import { rateLimitBounds, rateLimitDefaults } from "../../src/domain/settings/RateLimitSetting.ts"
import { costs, lanes, refusedFrom } from "../../src/http/contract/Cost.ts"
import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  textAt
} from "../../src/http/document/Json.ts"
import { constants } from "./Constants.ts"
import { operations, schemas } from "./Declared.ts"
import { byName, code, linkTo, page, parts, table } from "./Markdown.ts"
import { boundsText, typeText } from "./SchemaText.ts"

const laneRows = costs.map((cost) => {
  const bounds = lanes[cost]
  return [
    code(cost),
    ...[bounds.running, bounds.runningPerClient, bounds.waiting, bounds.perClient].map((n) =>
      n.toLocaleString("en")
    ),
    refusedFrom[cost] ?? "never",
    String(operations.filter((operation) => operation.cost === cost).length)
  ]
})

const limits = rateLimitDefaults({ exemptNetworks: [] })

const limitRows = [
  ["Units of a client in a period", limits.rate_limit, rateLimitBounds.limit],
  ["The period, in seconds", limits.rate_limit_period, rateLimitBounds.period],
  ["How exactly it is measured, in seconds", limits.rate_limit_bucket, rateLimitBounds.period],
  ["By how much the cost is multiplied for guests", limits.rate_limit_guest_cost, rateLimitBounds.guestCost],
  ["Operations with another cost", 0, rateLimitBounds.overrides],
  ["Units of an operation", 1, rateLimitBounds.cost]
].map(([what, first, most]) => [String(what), ...[first, most].map((n) => n?.toLocaleString("en") ?? "")])

const bodySizes = Map.groupBy(
  operations.filter(({ described }) => "x-max-body" in described),
  ({ described }) => Number(described["x-max-body"])
)

const sizeText = (bytes: number): string =>
  bytes % 1024 ** 2 === 0 ? `${bytes / 1024 ** 2} MiB` : `${bytes / 1024} KiB`

const largest = [...bodySizes].toSorted(([, one], [, other]) => other.length - one.length)[0]?.[0]

const bodyRows = [...bodySizes]
  .toSorted(([one], [other]) => one - other)
  .map(([size, list]) => [
    sizeText(size),
    size === largest ? "all others with a body" : list.map(({ id }) => linkTo("operations.md", id)).join(", ")
  ])

const refOf = (schema: Json | undefined) => textAt(schema, "$ref")?.split("/").at(-1)

/** The names of the schemas that something refers to, also by way of others. */
const reach = (value: Json | undefined, found: Set<string>): Set<string> => {
  if (Array.isArray(value)) for (const item of value) reach(item, found)
  if (!isObject(value)) return found
  const name = refOf(value)
  if (name !== undefined && !found.has(name)) {
    found.add(name)
    reach(schemas[name], found)
  }
  for (const [key, part] of Object.entries(value)) if (key !== "examples") reach(part, found)
  return found
}

const sent = reach(
  operations.map(({ described }) => described.requestBody ?? null),
  new Set()
)

/** Each bounded value of a schema with its place in it; those of named schemas stand there. */
const boundedIn = (schema: Json | undefined, place: string): ReadonlyArray<ReadonlyArray<string>> => {
  if (!isObject(schema) || "$ref" in schema) return []
  const bounds = boundsText(schema)
  const fields = Object.entries(objectAt(schema, "properties")).flatMap(([name, property]) =>
    boundedIn(property, place === "" ? name : `${place}.${name}`)
  )
  const inner = ["anyOf", "oneOf"]
    .flatMap((key) => listAt(schema, key))
    .filter((choice) => "properties" in Object(choice))
  const entries =
    isObject(schema.items) && "properties" in schema.items ? boundedIn(schema.items, `${place}[]`) : []
  return [
    ...(bounds === "" ? [] : [[code(place === "" ? "the value" : place), typeText(schema), bounds]]),
    ...fields,
    ...entries,
    ...inner.flatMap((choice) => boundedIn(choice, place))
  ]
}

const fieldRows = [...sent]
  .toSorted()
  .flatMap((name) =>
    boundedIn(schemas[name], "").map(([field = "", type = "", bounds = ""]) => [
      code(name),
      field,
      type,
      bounds
    ])
  )

/** Bodies that have no name. */
const ownRows = operations.flatMap(({ described, id }) =>
  Object.values(objectAt(objectAt(described, "requestBody"), "content")).flatMap((media) =>
    boundedIn(objectAt(media, "schema"), "").map((row) => [linkTo("operations.md", id), ...row])
  )
)

const resolved = (schema: Json | undefined): JsonObject => {
  const name = refOf(schema)
  return name === undefined ? (isObject(schema) ? schema : {}) : resolved(schemas[name])
}

const parameters = operations.flatMap(({ described, id }) =>
  listAt(described, "parameters").flatMap((parameter) => {
    const schema = resolved(objectAt(parameter, "schema"))
    const bounds = boundsText(schema)
    const name = `${textAt(parameter, "name")} ${textAt(parameter, "in")}`
    return bounds === "" ? [] : [{ id, name, bounds: `${typeText(schema)}: ${bounds}` }]
  })
)

const parameterRows = [...Map.groupBy(parameters, ({ bounds, name }) => `${name} ${bounds}`)]
  .toSorted(byName(([key]) => key))
  .map(([, list]) => {
    const [name = "", place = ""] = list[0]?.name.split(" ") ?? []
    const used = list.map(({ id }) => linkTo("operations.md", id))
    return [
      code(name),
      place,
      list[0]?.bounds ?? "",
      used.length > 12 ? `${used.length} operations` : used.join(", ")
    ]
  })

const folders = [
  ["src/domain", "What there may be of a thing"],
  ["src/http", "Requests and answers"],
  ["src/persistence", "Storage"],
  ["src/layers", "The process and what it is connected to"],
  ["src/operator", "The operator's command"]
] as const

const all = constants()

const constantLines = folders.map(([folder, title]) =>
  parts(
    [`### ${title}`],
    table(
      ["Bound", "Value", "Declared in"],
      all
        .filter(({ file }) => file.startsWith(`${folder}/`))
        .map(({ file, name, text, value }) => [text, value, `${code(file)}, ${code(name)}`])
    )
  )
)

export const boundsPage = (): string =>
  page(
    "Bounds",
    [
      "Whatever a caller can make large, long, many or slow has a bound, declared where it is used and answered by a",
      "problem beyond it. Here they are together. What operators choose is in [settings](settings.md)."
    ],
    [
      "- [Lanes](#lanes)",
      "- [Limit of requests](#limit-of-requests)",
      "- [Bodies](#bodies)",
      "- [Parameters](#parameters)",
      "- [Fields of bodies](#fields-of-bodies)",
      "- [Numbers, sizes and times](#numbers-sizes-and-times)"
    ],
    ["## Lanes"],
    [
      "Requests of each cost run and wait in a lane of the process, whose clients are networks. Beyond it:",
      "[`service-busy`](problems.md#service-busy). Under pressure lanes refuse new requests" +
        " ([how](../operating.md#running-it))."
    ],
    table(
      [
        "Cost",
        "Running",
        "of a client",
        "Waiting",
        "All of a client",
        "Refused under pressure",
        "Operations"
      ],
      laneRows
    ),
    ["## Limit of requests"],
    [
      "What a network may ask for in a period; beyond it: [`rate-limit-exceeded`](problems.md#rate-limit-exceeded).",
      "Administrators change it while the service runs."
    ],
    table(["What", "At first", "At most"], limitRows),
    ["## Bodies"],
    ["Beyond it: [`payload-too-large`](problems.md#payload-too-large)."],
    table(["Largest body", "Operations"], bodyRows),
    ["## Parameters"],
    ["Beyond it: [`invalid-request`](problems.md#invalid-request), which names the parameter."],
    table(["Parameter", "In", "Bound", "Operations"], parameterRows),
    ["## Fields of bodies"],
    [
      "By the schemas of [the description](../openapi/); beyond it: [`invalid-request`](problems.md#invalid-request),",
      "which names the field. Lengths are numbers of characters (code points)."
    ],
    table(["Schema", "Field", "Type", "Bound"], fieldRows),
    ownRows.length === 0 ? [] : ["Of bodies without a name:"],
    ownRows.length === 0 ? [] : table(["Operation", "Field", "Type", "Bound"], ownRows),
    ["## Numbers, sizes and times"],
    [`${all.length} constants of the program that bound something, in the order of their files.`],
    ...constantLines
  )
