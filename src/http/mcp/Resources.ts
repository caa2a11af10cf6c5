/** What agents read by address: each resource is what an operation answers with. */
import { Context, Effect, Option, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import type { CallApi } from "./ApiCalls.ts"

interface ReadableResource {
  readonly name: string
  readonly title: string
  readonly description: string
  /** The address up to what names one. */
  readonly prefix: string
  /** What names one, in the template; absent, if there is only one. */
  readonly parameter?: string
  readonly pathOf: (mark: string) => string
  /** The kind of items whose titles complete what names one. */
  readonly completedBy?: "thread" | "node"
}

const encoded = encodeURIComponent

/** All resources. Which of them there are for a caller is decided when they are read. */
export const resources: ReadonlyArray<ReadableResource> = [
  {
    name: "categories",
    title: "Categories",
    description: "All categories that threads are in.",
    prefix: "forum://categories",
    pathOf: () => "/api/categories"
  },
  {
    name: "thread",
    title: "A thread",
    description: "A thread and the first page of its replies, by its id or slug.",
    prefix: "forum://threads/",
    parameter: "thread_mark",
    pathOf: (mark) => `/api/threads/${encoded(mark)}`,
    completedBy: "thread"
  },
  {
    name: "library_page",
    title: "A page of the library",
    description: "A page of the library and the pages that it contains, by its id or slug.",
    prefix: "forum://library/",
    parameter: "node_slug",
    pathOf: (mark) => `/api/nodes/${encoded(mark)}`,
    completedBy: "node"
  },
  {
    name: "search",
    title: "A search",
    description: "What a search for a text finds in threads, replies and the library: the first page.",
    prefix: "forum://search/",
    parameter: "q",
    pathOf: (text) => `/api/datagraph?q=${encoded(text)}`
  }
]

const ProblemTitle = Schema.fromJsonString(Schema.Struct({ title: Schema.String }))
const titleOf = (text: string) =>
  Option.match(Schema.decodeUnknownOption(ProblemTitle)(text), {
    onNone: () => "The resource cannot be read",
    onSome: ({ title }) => title
  })

const Matches = Schema.fromJsonString(
  Schema.Struct({ items: Schema.Array(Schema.Struct({ slug: Schema.String })) })
)

/** What the protocol calls a resource that is not there, or not for this caller. */
const notFound = (uri: string, text: string) =>
  new McpSchema.InvalidParams({ message: `${uri}: ${titleOf(text)}`, data: { uri } })

const makeReading = (callApi: CallApi) => {
  const get = (url: string) => callApi({ method: "GET", url })

  const read = ({ pathOf }: ReadableResource) =>
    Effect.fnUntraced(function* (uri: string, mark: string) {
      const { status, text } = yield* get(pathOf(mark))
      if (status >= 400) return yield* notFound(uri, text)
      return { contents: [{ uri, mimeType: "application/json", text }] }
    })

  /** The slugs of items whose titles begin with the words of a text. */
  const complete = (kind: "thread" | "node") => (input: string) =>
    Effect.map(get(`/api/datagraph/matches?kind=${kind}&q=${encoded(input)}`), ({ text }) => {
      const matches = Schema.decodeUnknownOption(Matches)(text)
      const values = Option.isSome(matches) ? matches.value.items.map(({ slug }) => slug) : []
      return { completion: { values, total: values.length, hasMore: false } }
    })

  return { complete, read }
}

/** Registers the resources. */
export const registerResources = Effect.fnUntraced(function* (callApi: CallApi) {
  const server = yield* McpServer.McpServer
  const { complete, read } = makeReading(callApi)
  for (const resource of resources) {
    const { completedBy, description, name, parameter, prefix, title } = resource
    const described = { name, title, description, mimeType: "application/json" }
    const annotations = Context.empty()
    if (parameter === undefined) {
      yield* server.addResource({
        resource: new McpSchema.Resource({ ...described, uri: prefix }),
        annotations,
        handle: Effect.mapError(
          read(resource)(prefix, ""),
          ({ message }) => new McpSchema.InternalError({ message })
        )
      })
      continue
    }
    yield* server.addResourceTemplate({
      template: new McpSchema.ResourceTemplate({ ...described, uriTemplate: `${prefix}{${parameter}}` }),
      annotations,
      routerPath: `${prefix.replaceAll(":", "::")}:0`,
      completions: completedBy === undefined ? {} : { [parameter]: complete(completedBy) },
      handle: (uri, [mark = ""]) => read(resource)(uri, mark)
    })
  }
})
