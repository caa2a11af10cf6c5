/** What holds of tokens, roles and permissions of plugins while programs connect and call, at two instances. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, Schema } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PluginStore } from "../../src/domain/plugin/PluginStore.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, type Person, personByKey } from "../support/people.ts"
import { addExternal, connect, dial, type Program } from "../support/plugins.ts"
import * as TestApp from "../support/TestApp.ts"
import { inTime, second } from "../support/waiting.ts"

/** Calls at the other instance. */
const atOther = Effect.map(
  TestApp.UncachedClient,
  (client) =>
    <A, E, R>(call: Effect.Effect<A, E, R>) =>
      Effect.provideService(call, HttpClient.HttpClient, client)
)

const portOfOther = Effect.gen(function* () {
  const { request } = yield* (yield* atOther)(HttpClient.get("/api/version"))
  return Number(new URL(request.url).port)
})

let attempts = 0

/** Whether a program is let in with a token; it leaves at once. Each comes from a network of its own. */
const isAdmitted = Effect.fnUntraced(function* (token: string, port: number | undefined) {
  const from = ++attempts
  const headers = { "x-forwarded-for": `203.0.${from >> 8}.${from & 255}` }
  const { refused, socket } = yield* dial(`/rpc?token=${token}`, {
    headers,
    ...(port === undefined ? {} : { port })
  })
  const opened = new Promise<{ readonly status: number }>((resolve) =>
    socket.once("open", () => resolve({ status: 101 }))
  )
  const failed = new Promise<never>((_, reject) => socket.once("error", reject))
  const { status } = yield* inTime(
    "nobody answers a program",
    Effect.promise(() => Promise.race([refused, opened, failed]))
  )
  assert.include([101, 401], status)
  return status === 101
}, Effect.scoped)

const cycles = 50

layer(Layer.provideMerge(TestApp.uncached, People.layer))("the token of a plugin", (it) => {
  it.effect("lets nobody in once another has taken its place, which always does, at both instances", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const elsewhere = yield* atOther
      const settings = { client_ip_mode: "xff_trusted_proxies", trusted_proxy_cidrs: ["127.0.0.0/8"] }
      ok(yield* odin.patch("/admin", { services: { client_ip: settings } }))
      yield* TestClock.adjust("2 seconds")
      const other = yield* portOfOther
      const { connection, id } = yield* addExternal(odin)
      const tokens: Array<string> = [connection.token]
      // The newest token of an answer, and the number of the change that is on its way.
      let [answered, begun] = [0, 0]
      let isOver = false
      const seen = { old: 0, newest: 0 }

      /** Tries the newest token or the one before, as long as tokens change. */
      const trying = (port: number | undefined, age: 0 | 1) =>
        Effect.gen(function* () {
          const before = answered
          const tried = Math.max(0, before - age)
          const isLetIn = yield* isAdmitted(tokens[tried] ?? "", port)
          if (tried < before) {
            seen.old++
            assert.isFalse(isLetIn, `token ${tried} after ${before}`)
          } else if (begun === before) {
            seen.newest++
            assert.isTrue(isLetIn, `token ${tried}`)
          }
        }).pipe(Effect.repeat({ while: () => !isOver }))

      const changing = Effect.gen(function* () {
        for (let n = 1; n <= cycles; n++) {
          begun = n
          const cycle = odin.post(`/plugins/${id}/token`)
          tokens.push(ok(yield* n % 2 === 0 ? elsewhere(cycle) : cycle).token)
          answered = n
          // Some are tried between two changes.
          const tried = seen.newest
          yield* inTime(
            "nobody tries the newest token",
            Effect.repeat(Effect.sleep("1 millis"), {
              while: () => seen.newest === tried
            })
          )
        }
        isOver = true
      })
      const clients = [undefined, other].flatMap((port) => [trying(port, 0), trying(port, 1)])
      yield* Effect.all([changing, ...clients], { concurrency: "unbounded" })
      assert.isAtLeast(seen.newest, cycles)
      assert.isAtLeast(seen.old, cycles)
    })
  )
})

/** What else happens before a token is looked up, before and after the lease of a plugin is taken, and before its row is locked. */
const meanwhile: Record<"looking" | "before" | "after" | "locking", Effect.Effect<void>> = {
  looking: Effect.void,
  before: Effect.void,
  after: Effect.void,
  locking: Effect.void
}

const withTurns = TestApp.storesBut(PluginStore, (usual) => ({
  ...usual,
  findByTokenHash: (hash) =>
    Effect.andThen(
      Effect.suspend(() => meanwhile.looking),
      usual.findByTokenHash(hash)
    ),
  takeLease: (id, lease, now) =>
    Effect.suspend(() => meanwhile.before).pipe(
      Effect.andThen(usual.takeLease(id, lease, now)),
      Effect.tap(() => Effect.suspend(() => meanwhile.after))
    ),
  findForUpdate: (id) =>
    Effect.andThen(
      Effect.suspend(() => meanwhile.locking),
      usual.findForUpdate(id)
    )
}))

const anotherHas = (id: string, seconds: number) =>
  Effect.gen(function* () {
    const until = DateTime.toDateUtc(DateTime.add(yield* DateTime.now, { seconds }))
    const sql = yield* SqlClient.SqlClient
    yield* sql`update plugins set lease_holder = ${"x".repeat(43)}, lease_until = ${until} where id = ${id}`
  })

const closedBy = (program: Program) =>
  inTime(
    "it is not closed",
    Effect.promise(() => program.closed)
  )

const rejected = { code: 1008, reason: "connection rejected" }

layer(People.withCast(TestApp.layerWhere({}, withTurns)))("a program that was let in", (it) => {
  it.effect("is closed if its token was changed since", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection, id } = yield* addExternal(odin)
      const client = yield* HttpClient.HttpClient
      meanwhile.before = odin.post(`/plugins/${id}/token`).pipe(
        Effect.flatMap((answer) => Effect.sync(() => ok(answer))),
        Effect.provideService(HttpClient.HttpClient, client),
        Effect.orDie,
        Effect.asVoid
      )
      const program = yield* dial(`/rpc?token=${connection.token}`)
      assert.deepStrictEqual(yield* closedBy(program), { code: 1000, reason: "closed" })
      meanwhile.before = Effect.void
      const { token } = ok(yield* odin.get(`/plugins/${id}`)).connection
      yield* (yield* connect(token)).call("get_config")
    })
  )

  it.effect("is turned away if another instance has its plugin before it begins", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection, id } = yield* addExternal(odin)
      const sql = yield* SqlClient.SqlClient
      meanwhile.after = Effect.provideService(anotherHas(id, 6), SqlClient.SqlClient, sql).pipe(Effect.orDie)
      const program = yield* dial(`/rpc?token=${connection.token}`)
      assert.deepStrictEqual(yield* closedBy(program), rejected)
      meanwhile.after = Effect.void
    })
  )

  it.effect("is closed so that it comes again where the service fails before it begins", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection } = yield* addExternal(odin)
      meanwhile.after = Effect.die(new Error("The service has failed"))
      const program = yield* dial(`/rpc?token=${connection.token}`)
      assert.deepStrictEqual(yield* closedBy(program), { code: 1011, reason: "internal error" })
      meanwhile.after = Effect.void
      yield* (yield* connect(connection.token)).call("get_config")
    })
  )

  it.effect("is not told that its token is wrong where nobody can look, and may come again", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection } = yield* addExternal(odin)
      meanwhile.looking = Effect.die(new Error("The database does not answer"))
      const { refused } = yield* dial(`/rpc?token=${connection.token}`)
      assert.deepStrictEqual(yield* Effect.promise(() => refused), {
        status: 503,
        text: "The service cannot tell now whether this plugin may connect"
      })
      meanwhile.looking = Effect.void
      yield* (yield* connect(connection.token)).call("get_config")
    })
  )

  it.effect("gets access at the next try where the service has failed at the first", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const access = { handle: "tide", name: "Tide", permissions: [] }
      const { connection } = yield* addExternal(odin, { access })
      const program = yield* connect(connection.token)
      meanwhile.locking = Effect.die(new Error("The service has failed"))
      const { error } = yield* program.call("access_get")
      assert.deepStrictEqual(error, { code: -32000, message: "The call failed in the service" })
      meanwhile.locking = Effect.void
      const { access_key } = (yield* program.call("access_get")).result.result
      assert.match(access_key, /^fbk_/)
      // From then on, nothing is asked any more.
      meanwhile.locking = Effect.die(new Error("It is asked again"))
      assert.strictEqual((yield* program.call("access_get")).result.result.access_key, access_key)
      meanwhile.locking = Effect.void
    })
  )

  it.effect("waits for another instance that may be gone, but not for ever", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const passing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.raceFirst(effect, Effect.forever(second))
      const gone = yield* addExternal(odin)
      yield* anotherHas(gone.id, 3)
      const patient = yield* connect(gone.connection.token)
      yield* passing(patient.call("get_config"))
      const there = yield* addExternal(odin)
      yield* anotherHas(there.id, 60)
      const program = yield* connect(there.connection.token)
      assert.deepStrictEqual(yield* passing(closedBy(program)), rejected)
    })
  )
})

const Named = Schema.Struct({ name: Schema.String })

layer(Layer.provideMerge(TestApp.uncached, People.layer))("the bot of a plugin that is calling", (it) => {
  const permissions = ["MANAGE_CATEGORIES"]

  /** A bot that may make categories, and its role. */
  const addBot = Effect.fnUntraced(function* (odin: Person) {
    const access = { handle: "tide", name: "Tide", permissions }
    const { connection } = yield* addExternal(odin, { access })
    const program = yield* connect(connection.token)
    const bot = personByKey((yield* program.call("access_get")).result.result.access_key, "bot")
    const { handle, roles } = ok(yield* bot.get("/accounts"))
    const { roles: all } = ok(yield* odin.get("/roles"))
    const role = all.find((one: { permissions: Array<string> }) =>
      one.permissions.includes("MANAGE_CATEGORIES")
    )
    assert.include(
      roles.map(({ id }: { id: string }) => id),
      role.id
    )
    return { bot, handle, role }
  })

  it.effect(
    "is allowed nothing once its role or the permission of that is gone, and does no half things",
    () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const elsewhere = yield* atOther
        const { bot, handle, role } = yield* addBot(odin)
        const [ofRole, ofBot] = [`/roles/${role.id}`, `/accounts/${handle}/roles/${role.id}`]
        const ways = [
          { take: odin.patch(ofRole, { permissions: [] }), give: odin.patch(ofRole, { permissions }) },
          { take: odin.delete(ofBot), give: odin.put(ofBot) }
        ]
        // Even while it is taken away or given back, and odd in between.
        let phase: "allowed" | "changing" | "refused" = "allowed"
        let changes = 0
        const rounds = 6
        const made: Array<string> = []
        const seen = { allowed: 0, refused: 0 }
        let isOver = false
        let tries = 0

        const calling = (at: HttpClient.HttpClient) =>
          Effect.gen(function* () {
            const [began, change] = [phase, changes]
            const name = `Tide ${++tries}`
            const call = bot.post("/categories", { name, description: "", colour: "" })
            const { status } = yield* Effect.provideService(call, HttpClient.HttpClient, at)
            assert.include([200, 403], status)
            if (status === 200) made.push(name)
            if (changes !== change || began === "changing") return
            seen[began]++
            assert.strictEqual(status, began === "allowed" ? 200 : 403, began)
          }).pipe(Effect.repeat({ while: () => !isOver }))

        const become = Effect.fnUntraced(function* (next: "allowed" | "refused") {
          changes++
          phase = next
          const before = seen[next]
          yield* inTime(
            `nobody calls while that is ${next}`,
            Effect.repeat(Effect.sleep("1 millis"), {
              while: () => seen[next] < before + 4
            })
          )
          changes++
          phase = "changing"
        })

        const changing = Effect.gen(function* () {
          for (let n = 0; n < rounds; n++) {
            const way = ways[n % 2]
            if (way === undefined) continue
            yield* become("allowed")
            ok(yield* n % 3 === 0 ? elsewhere(way.take) : way.take)
            yield* become("refused")
            ok(yield* n % 3 === 1 ? elsewhere(way.give) : way.give)
          }
          isOver = true
        })
        const instances = [yield* HttpClient.HttpClient, yield* TestApp.UncachedClient]
        const calls = yield* Effect.forkChild(
          Effect.forEach([...instances, ...instances], calling, { concurrency: "unbounded", discard: true })
        )
        yield* changing
        yield* Fiber.join(calls)
        const { categories } = ok(yield* odin.get("/categories"))
        const names = Schema.decodeUnknownSync(Schema.Array(Named))(categories).map(({ name }) => name)
        assert.sameMembers(
          names.filter((name) => name.startsWith("Tide ")),
          made
        )
      })
  )
})
