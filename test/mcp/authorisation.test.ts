/** The official client gets its tokens by itself: it finds out where, registers, sends somebody to decide, and goes on. */
import { assert, layer } from "@effect/vitest"
import { type OAuthClientProvider, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js"
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { DocumentSettings } from "../../src/domain/oauthdocument/DocumentSettings.ts"
import { type Answer, ok } from "../support/answers.ts"
import { decide, leadsTo } from "../support/authorisations.ts"
import { connect, origin, transportTo } from "../support/mcp-client.ts"
import * as Pages from "../support/pages.ts"
import { Cast, grant, type Person, withCast } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

const publicUrl = "http://forum.test"
const redirectUrl = "http://127.0.0.1:7777/callback"

interface Asking {
  /** What it asks for first, of all that there is. */
  readonly scope?: string
  /** The address of a document about it. */
  readonly document?: string
}

/** A program, and what it keeps of its authorisation. */
const makeProgram = ({ document, scope }: Asking = {}) => {
  let client: OAuthClientInformationMixed | undefined
  let tokens: OAuthTokens | undefined
  let verifier = ""
  const sentTo: Array<URL> = []
  const provider: OAuthClientProvider = {
    redirectUrl,
    ...(document === undefined ? {} : { clientMetadataUrl: document }),
    clientMetadata: {
      client_name: "An agent",
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: "none"
    },
    state: () => "harbour",
    clientInformation: () => client,
    saveClientInformation: (saved) => {
      client = saved
    },
    tokens: () => tokens,
    saveTokens: (saved) => {
      tokens = saved
    },
    saveCodeVerifier: (saved) => {
      verifier = saved
    },
    codeVerifier: () => verifier,
    redirectToAuthorization: (url) => {
      if (scope !== undefined && sentTo.length === 0) url.searchParams.set("scope", scope)
      sentTo.push(url)
    },
    invalidateCredentials: (what) => {
      if (what === "all" || what === "client") client = undefined
      if (what === "all" || what === "tokens") tokens = undefined
    }
  }
  return { provider, sentTo, tokens: () => tokens, client: () => client }
}

type Program = ReturnType<typeof makeProgram>

/** The service as programs know it, which is at another address in a test. */
const reached = (at: string) => (url: string | URL, init?: RequestInit) =>
  fetch(String(url).replace(publicUrl, at), init)

const transportOf = ({ provider }: Program) =>
  Effect.map(origin, (at) =>
    transportTo(publicUrl, { authProvider: provider, fetch: reached(at), requestInit: {} })
  )

const failure = (asked: () => Promise<unknown>) =>
  Effect.flip(Effect.tryPromise({ try: asked, catch: (error) => error }))

const connecting = (program: Program) =>
  Effect.flatMap(transportOf(program), (transport) =>
    Effect.acquireRelease(
      Effect.tryPromise({ try: () => connect(transport), catch: (error) => error }),
      (client) => Effect.promise(() => client.close())
    )
  )

/** What the browser of somebody brings back from where a program sent it last. */
const decided = Effect.fnUntraced(function* (program: Program, person: Person, decision: string) {
  const url = program.sentTo.at(-1) ?? assert.fail("The browser was sent nowhere")
  assert.strictEqual(`${url.origin}${url.pathname}`, `${publicUrl}/api/oauth/authorize`)
  const page = leadsTo(yield* person.get(`${url.pathname.replace("/api", "")}${url.search}`))
  const request = page.searchParams.get("request_id") ?? assert.fail(page.href)
  const { location } = ok(yield* decide(person, request, decision))
  assert.isTrue(String(location).startsWith(redirectUrl), location)
  return new URL(location).searchParams
})

/** Lets somebody approve what a program asks for. */
const finished = Effect.fnUntraced(function* (program: Program, person: Person) {
  const returned = yield* decided(program, person, "approve")
  assert.strictEqual(returned.get("state"), "harbour")
  const transport = yield* transportOf(program)
  yield* Effect.promise(() => transport.finishAuth(returned.get("code") ?? ""))
})

/** Lets somebody approve what a program asks for, which then has tokens. */
const approved = Effect.fnUntraced(function* (program: Program, person: Person) {
  const refused = yield* Effect.flip(connecting(program))
  assert.instanceOf(refused, UnauthorizedError)
  yield* finished(program, person)
})

const app = TestApp.layerWhere({ mcpEnabled: true, oauthRegistrationOpen: true }).pipe(
  Layer.provide(
    Layer.succeed(DocumentSettings, {
      enabled: true,
      allowedPermissions: ["READ_PUBLISHED_THREADS"],
      allowsPrivileged: false,
      allowsInsecure: false
    })
  )
)

layer(withCast(app))("programs with the official client", (it) => {
  it.effect("get tokens with nothing but the address, and refresh them", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* grant(freya, "USE_OAUTH_CLIENTS")
      const program = makeProgram()
      yield* approved(program, freya)
      const asked = program.sentTo[0]?.searchParams
      assert.strictEqual(asked?.get("resource"), `${publicUrl}/mcp`)
      assert.strictEqual(asked?.get("code_challenge_method"), "S256")
      const first = program.tokens()
      assert.include(first?.scope, "CREATE_POST")
      // What the account does not hold, no program gets.
      assert.notInclude(first?.scope, "ADMINISTRATOR")

      const client = yield* connecting(program)
      const create = (title: string) =>
        Effect.promise(
          async (): Promise<Answer["json"]> =>
            client.callTool({
              name: "thread_create",
              arguments: { title, body: "B", visibility: "published" }
            })
        )
      assert.strictEqual((yield* create("Fresh")).structuredContent.author.handle, "freya")

      // An access token is valid for a quarter of an hour; the client notices, and has another one.
      yield* TestClock.adjust("16 minutes")
      assert.strictEqual((yield* create("Refreshed")).structuredContent.author.handle, "freya")
      const second = program.tokens()
      assert.notStrictEqual(second?.access_token, first?.access_token)
      assert.notStrictEqual(second?.refresh_token, first?.refresh_token)
      assert.lengthOf(program.sentTo, 1)
    })
  )

  it.effect("ask again when all that was granted was taken back", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      yield* grant(loki, "USE_OAUTH_CLIENTS")
      const program = makeProgram()
      yield* approved(program, loki)
      const client = yield* connecting(program)
      const { tokens } = ok(yield* odin.get("/admin/oauth/refresh-tokens"))
      for (const { id } of tokens) yield* odin.delete(`/admin/oauth/refresh-tokens/${id}`)
      const refused = yield* failure(() => client.listTools())
      assert.instanceOf(refused, UnauthorizedError)
      assert.lengthOf(program.sentTo, 2)
    })
  )

  it.effect("can do no more than was approved", () =>
    Effect.gen(function* () {
      const { tyr } = yield* Cast
      yield* grant(tyr, "USE_OAUTH_CLIENTS")
      const program = makeProgram({ scope: "READ_PUBLISHED_THREADS" })
      yield* approved(program, tyr)
      assert.strictEqual(program.tokens()?.scope, "READ_PUBLISHED_THREADS")
      const client = yield* connecting(program)
      const { tools } = yield* Effect.promise(() => client.listTools())
      const names = tools.map(({ name }) => name)
      assert.include(names, "thread_list")
      assert.notInclude(names, "thread_create")
      assert.isNotTrue((yield* Effect.promise(() => client.callTool({ name: "thread_list" }))).isError)

      // What needs more leads to the person again, who is asked for that as well.
      const create = { name: "thread_create", arguments: { title: "More", body: "B" } }
      const refused = yield* failure(() => client.callTool(create))
      assert.instanceOf(refused, UnauthorizedError)
      const scope = "READ_PUBLISHED_THREADS CREATE_POST"
      assert.strictEqual(program.sentTo[1]?.searchParams.get("scope"), scope)
      yield* finished(program, tyr)
      assert.strictEqual(program.tokens()?.scope, scope)
      const again = yield* connecting(program)
      assert.isNotTrue((yield* Effect.promise(() => again.callTool(create))).isError)
    })
  )

  it.effect("get nothing from who says no", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const program = makeProgram()
      yield* Effect.flip(connecting(program))
      const returned = yield* decided(program, freya, "deny")
      assert.strictEqual(returned.get("error"), "access_denied")
      assert.isFalse(returned.has("code"))
      const transport = yield* transportOf(program)
      const refused = yield* failure(() => transport.finishAuth("made-up"))
      assert.include(String(refused), "code")
      assert.isUndefined(program.tokens())
    })
  )

  it.effect("are named by a document about them, where they have one", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const document = "https://agent.example/client.json"
      Pages.put(
        document,
        Pages.json({
          client_id: document,
          client_name: "An agent",
          redirect_uris: [redirectUrl],
          token_endpoint_auth_method: "none",
          scope: "offline_access READ_PUBLISHED_THREADS"
        })
      )
      const program = makeProgram({ document })
      yield* approved(program, freya)
      assert.strictEqual(program.client()?.client_id, document)
      assert.include(program.tokens()?.scope, "READ_PUBLISHED_THREADS")
      assert.notInclude(program.tokens()?.scope, "CREATE_POST")
      const client = yield* connecting(program)
      assert.isNotTrue((yield* Effect.promise(() => client.callTool({ name: "thread_list" }))).isError)
    })
  )
})
