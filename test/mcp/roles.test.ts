/** Every tool decides about everybody as its operation does, and answers the same. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Permission } from "../../src/domain/shared/Permission.ts"
import { ForumApi } from "../../src/http/Api.ts"
import { type AgentTool, AgentTools } from "../../src/http/contract/AgentTool.ts"
import { endpointsOf } from "../../src/http/contract/Endpoints.ts"
import { emptyBuiltInRoles, requiredBy, verdictOf } from "../support/access.ts"
import { callTool, resultIn, say, toolsOf } from "../support/agents.ts"
import { type Answer, ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import { withKey } from "../support/keys.ts"
import { type Operation, operations } from "../support/operations.ts"
import {
  Cast,
  call,
  grant,
  guest,
  nobody,
  type Person,
  query,
  signUp,
  suspend,
  withCast
} from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"
import { withToken } from "../support/tokens.ts"

interface Tool extends AgentTool {
  readonly operation: Operation
}

const tools: ReadonlyArray<Tool> = endpointsOf(ForumApi).flatMap(({ endpoint, id }) =>
  Context.get(endpoint.annotations, AgentTools).map((tool) => ({
    ...tool,
    operation: operations.find((one) => one.id === id) ?? assert.fail(id)
  }))
)

/** The permissions that some tool asks for, whatever it is called with or by what it is called with. */
const deciding: ReadonlySet<Permission> = new Set([
  ...tools.flatMap(({ operation }) => requiredBy(operation.access)),
  "MANAGE_POSTS",
  "MANAGE_LIBRARY",
  "SUBMIT_LIBRARY_NODE_CHANGES",
  "ADMINISTRATOR"
])

type Arguments = Readonly<Record<string, unknown>>

let made = 0

/** A name that nothing has. */
const newName = () => `Made ${made++}`

/** What tools are called with beside what is in their paths, anew for each call; others take nothing that they need. */
const needed: Readonly<Record<string, () => Arguments>> = {
  content_search: () => ({ q: "raven" }),
  library_page_create: () => ({ name: newName(), visibility: "published" }),
  library_page_properties_update: () => ({ properties: [{ name: "Weight", type: "number", value: "3" }] }),
  library_page_property_schema_update: () => ({ fields: [{ name: "Weight", type: "number", sort: "1" }] }),
  library_page_update: () => ({ content: "<p>Changed</p>" }),
  library_search_pages: () => ({ q: "raven" }),
  link_create: () => ({ url: "https://nowhere.test/", title: "Nowhere" }),
  post_search: () => ({ q: "raven" }),
  reply_search: () => ({ q: "raven" }),
  thread_create: () => ({ title: newName(), body: "B", visibility: "published" }),
  thread_reply: () => ({ body: "A reply" }),
  thread_search: () => ({ q: "raven" }),
  thread_update: () => ({ body: "<p>Changed</p>" })
}

/** The same with what needs a permission of its own. */
const withMore: Readonly<Record<string, () => Arguments>> = {
  thread_update: () => ({ pinned: 1 }),
  library_page_create: () => ({ name: newName(), visibility: "draft" })
}

const nothing = (): Arguments => ({})

const misspelt = { nothing_of_this_name: 1 }

/** What the paths of tools name, by their parameters: things of everybody and of some, and nothing. */
const prepare = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  const page = (by: Person, visibility: string) =>
    Effect.map(by.post("/nodes", { name: `Raven ${newName()}`, visibility }), ok)
  const threads = [
    yield* open(odin, "Raven"),
    yield* open(freya, "Raven of Freya"),
    yield* open(odin, "Raven unlisted", { visibility: "unlisted" }),
    yield* open(freya, "Raven draft", { visibility: "draft" })
  ]
  const pages = [
    yield* page(odin, "published"),
    yield* page(odin, "unlisted"),
    yield* page(odin, "draft"),
    yield* page(freya, "draft"),
    yield* page(freya, "review")
  ]
  const idsOf = (things: ReadonlyArray<Answer["json"]>) => [...things.map(({ id }) => String(id)), nobody]
  return { thread_mark: idsOf(threads), node_slug: idsOf(pages) }
})

type Marks = Readonly<Record<string, ReadonlyArray<string>>>

/** All calls of a tool: for each thing that its path may name, what makes its arguments. */
const callsOf = ({ name, operation }: Tool, marks: Marks): ReadonlyArray<() => Arguments> => {
  const [parameter] = operation.pathParameters
  const places: ReadonlyArray<Arguments> =
    parameter === undefined
      ? [{}]
      : (marks[parameter] ?? assert.fail(parameter)).map((mark) => ({ [parameter]: mark }))
  const bodies = [needed[name] ?? nothing, ...(withMore[name] === undefined ? [] : [withMore[name]])]
  return places.flatMap((place) => bodies.map((body) => () => ({ ...place, ...body() })))
}

/** Asks the operation of a tool for what a call of the tool asks for. */
const askOperation = (person: Person, { body, fixed = {}, operation }: Tool, args: Arguments) => {
  const { hasBody, method, pathParameters, pathWith, queryParameters } = operation
  const asked = Object.entries(args).filter(([name]) => queryParameters.includes(name))
  const own = Object.entries(args).filter(([name]) => ![...pathParameters, ...queryParameters].includes(name))
  const search = Object.entries({ ...fixed, ...Object.fromEntries(asked) }).flatMap(
    ([name, value]): ReadonlyArray<[string, string]> => (value === undefined ? [] : [[name, String(value)]])
  )
  return call(method, `${pathWith((name) => String(args[name]))}${query(Object.fromEntries(search))}`, {
    headers: person.headers,
    ...(hasBody ? { body: body === undefined ? Object.fromEntries(own) : args[body] } : {})
  })
}

const decisionOf = ({ metadata, status, type }: Answer["json"]) => ({ status, type, metadata })

/** What an operation decides, and shows if it shows the same each time. */
const outcomeOfOperation = ({ operation, shows }: Tool, { json, status }: Answer) => {
  if (status >= 400) return decisionOf(json)
  if (operation.method !== "GET") return "allowed"
  return shows === undefined
    ? json
    : Object.fromEntries(Object.entries(json).filter(([name]) => shows.includes(name)))
}

const outcomeOfTool = ({ operation }: Tool, { content, isError, structuredContent }: Answer["json"]) => {
  if (isError) return decisionOf(JSON.parse(content[0].text))
  return operation.method === "GET" ? structuredContent : "allowed"
}

/** Holds that tools and their operations decide the same about somebody; answers how often each was allowed. */
const compare = Effect.fnUntraced(function* (name: string, person: Person, marks: Marks) {
  const listed = new Set((yield* toolsOf(person)).map((tool) => tool.name))
  let allowed = 0
  for (const tool of tools) {
    for (const makeArguments of callsOf(tool, marks)) {
      const args = makeArguments()
      const byTool = outcomeOfTool(tool, yield* callTool(person, tool.name, args))
      const answer = yield* askOperation(person, tool, makeArguments())
      assert.deepStrictEqual(
        byTool,
        outcomeOfOperation(tool, answer),
        `${name}, ${tool.name} ${JSON.stringify(args)}`
      )
      if (answer.status < 400) allowed += 1
    }
    // Who is admitted, whatever is asked for, sees the tool.
    const { hasBody, method, path } = tool.operation
    const junk = yield* call(method, path, { headers: person.headers, ...(hasBody ? { body: "{" } : {}) })
    const isAdmitted = verdictOf(junk.status, junk.json?.type) === "allowed"
    assert.strictEqual(listed.has(tool.name), isAdmitted, `${name}: whether ${tool.name} is listed`)
    const { type } = outcomeOfTool(tool, yield* callTool(person, tool.name, misspelt))
    assert.strictEqual(type, isAdmitted ? "/api/problems/invalid-request" : junk.json.type, tool.name)
  }
  return allowed
})

layer(withCast(TestApp.layerWhere({ mcpEnabled: true })))("every tool", (it) => {
  it.effect("needs nothing that is not tried here", () =>
    Effect.sync(() => {
      assert.lengthOf(tools, 21)
      const names = tools.map(({ name }) => name)
      for (const name of Object.keys({ ...needed, ...withMore })) assert.include(names, name)
    })
  )

  it.effect("is for no guests, whatever these may do elsewhere", () =>
    Effect.gen(function* () {
      for (const { name } of tools) {
        const { status, text } = yield* say(guest, "tools/call", {
          name,
          arguments: (needed[name] ?? nothing)()
        })
        assert.deepStrictEqual([status, text], [401, ""], name)
      }
      assert.strictEqual((yield* say(guest, "tools/list")).status, 401)
    })
  )

  it.effect("decides about everybody as its operation does", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const marks = yield* prepare
      yield* grant(loki, "MANAGE_LIBRARY", "USE_PERSONAL_ACCESS_KEYS")
      const idle = yield* signUp("idle")
      yield* grant(idle, "ADMINISTRATOR")
      yield* suspend(idle)
      // Who may change more comes later.
      const everybody: Readonly<Record<string, Person>> = {
        "a suspended administrator": idle,
        "an administrator by a token for reading": yield* withToken(
          odin,
          "READ_PUBLISHED_THREADS READ_PUBLISHED_LIBRARY LIST_PROFILES"
        ),
        "a member by a token for replies": yield* withToken(freya, "CREATE_POST"),
        "a member": freya,
        "a member by a token for all": yield* withToken(freya, Permission.literals.join(" ")),
        "a moderator": tyr,
        "who manages the library": loki,
        "who manages the library, by a key": yield* withKey(loki),
        "an administrator": odin,
        "an administrator by a key": yield* withKey(odin)
      }
      const allowed = new Map<string, number>()
      for (const [name, person] of Object.entries(everybody)) {
        allowed.set(name, yield* compare(name, person, marks))
      }
      const often = [
        "a suspended administrator",
        "a member by a token for replies",
        "a member",
        "who manages the library",
        "an administrator"
      ].map((name) => allowed.get(name) ?? 0)
      assert.deepStrictEqual(
        often,
        [...new Set(often)].toSorted((a, b) => a - b),
        JSON.stringify([...allowed])
      )
    })
  )
})

layer(withCast(TestApp.layerWhere({ mcpEnabled: true })))("every tool, with one permission", (it) => {
  it.effect("decides as its operation does", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const marks = Object.fromEntries(
        Object.entries(yield* prepare).map(([name, [first = ""]]) => [name, [first]])
      )
      yield* emptyBuiltInRoles
      let allowed = 0
      for (const permission of deciding) {
        const holder = yield* signUp(`holder-${permission.toLowerCase().replaceAll("_", "-")}`.slice(0, 30))
        yield* grant(holder, permission)
        allowed += yield* compare(permission, holder, marks)
        const bearer = yield* withToken(odin, permission)
        assert.deepStrictEqual(
          (yield* toolsOf(bearer)).map(({ name }) => name),
          (yield* toolsOf(holder)).map(({ name }) => name),
          permission
        )
      }
      assert.isAbove(allowed, 0)
    })
  )
})

layer(withCast(TestApp.layerWhere({ mcpEnabled: true })))("every resource", (it) => {
  it.effect("is there for those to whom its operation shows it", () =>
    Effect.gen(function* () {
      const { freya, odin, tyr } = yield* Cast
      const { node_slug, thread_mark } = yield* prepare
      const places: ReadonlyArray<readonly [string, string]> = [
        ["forum://categories", "/categories"],
        ["forum://search/raven", "/datagraph?q=raven"],
        ...thread_mark.map((id) => [`forum://threads/${id}`, `/threads/${id}`] as const),
        ...node_slug.map((id) => [`forum://library/${id}`, `/nodes/${id}`] as const)
      ]
      const people = [odin, tyr, freya, yield* withToken(freya, "READ_PUBLISHED_THREADS")]
      let shown = 0
      for (const person of people) {
        for (const [uri, path] of places) {
          const answer = yield* person.get(path)
          const read = yield* say(person, "resources/read", { uri })
          if (answer.status === 200) {
            assert.deepStrictEqual(JSON.parse(resultIn(read).contents[0].text), answer.json, uri)
            shown += 1
          } else {
            assert.isDefined(read.json.error, `${uri}: ${answer.status} ${read.text}`)
          }
        }
      }
      assert.isAbove(shown, people.length)
    })
  )
})
