/** What administrators do with plugins, none of which runs. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { room } from "../../src/domain/answer/AnswerRoom.ts"
import {
  PluginManifestInvalid,
  PluginNotExternal,
  PluginNotFound,
  PluginNotSupervised,
  PluginsDisabled,
  pluginsMax,
  TooManyPlugins
} from "../../src/domain/plugin/PluginRefusal.ts"
import { isPluginToken } from "../../src/domain/plugin/PluginRules.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { fifty } from "../support/fifty.ts"
import { permission, withKey } from "../support/keys.ts"
import { operations } from "../support/operations.ts"
import * as People from "../support/people.ts"
import { Cast, call, grant, guest, nobody } from "../support/people.ts"
import { addExternal, dial, postExternal } from "../support/plugins.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { least } from "./manifest.ts"
import { plugins } from "./support.ts"

const clear = SqlClient.SqlClient.use((sql) => sql`delete from plugins`)

const list = Effect.flatMap(Cast, ({ odin }) => Effect.map(odin.get(plugins), (answer) => ok(answer).plugins))

/** The types of the entries that the audit log has of a plugin, oldest first. */
const auditedOf = Effect.fnUntraced(function* (id: string) {
  const { odin } = yield* Cast
  const { events } = ok(yield* odin.get("/admin/audit-events"))
  return events
    .filter((event: { readonly plugin_instance_id?: string }) => event.plugin_instance_id === id)
    .map(
      ({
        id: _,
        timestamp: __,
        enacted_by,
        ...event
      }: Record<string, unknown> & { readonly enacted_by: { readonly id: string } }) => ({
        ...event,
        by: enacted_by.id
      })
    )
    .reverse()
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))("an external plugin", (it) => {
  it.effect("is inactive in the answer that adds it, and waited for from then on", () =>
    Effect.gen(function* () {
      yield* clear
      const { odin } = yield* Cast
      const access = { handle: "hello", name: "Hello" }
      const added = yield* addExternal(odin, { access, unknown: true, args: null })
      const { added_at, connection, id } = added
      const manifest = { ...least, access: { ...access, permissions: [] } }
      assert.deepStrictEqual(added, {
        id,
        added_at,
        name: "Hello",
        description: "Says hello",
        version: "1.0.0",
        status: { active_state: "inactive", deactivated_at: added_at },
        manifest,
        connection: { mode: "external", token: connection.token }
      })
      assert.isTrue(isPluginToken(connection.token))
      const waited = { ...added, status: { active_state: "connecting", connecting_at: added_at } }
      assert.deepStrictEqual(ok(yield* odin.get(`${plugins}/${id}`)), waited)
      assert.deepStrictEqual(yield* list, [waited])
      assert.deepStrictEqual(yield* auditedOf(id), [
        { type: "plugin_added", plugin_instance_id: id, name: "Hello", mode: "external", by: odin.id }
      ])
    })
  )

  it.effect("has what a manifest needs, and no more, in a list that has no room for all of it", () =>
    Effect.gen(function* () {
      yield* clear
      const { odin } = yield* Cast
      const tool = (n: number) => ({
        id: `tool${n}`,
        name: "Tool",
        description: "",
        input_schema: { type: "object", title: "x".repeat(60_000) }
      })
      const tools = Array.from({ length: 15 }, (_, n) => tool(n))
      const large = {
        args: ["one"],
        capabilities: [{ type: "robot.tool_provider", id: "tools", version: "1", tools }]
      }
      const add = (more: object) => addExternal(odin, more)
      const before = [yield* add({}), yield* add(large)]
      const newest = [yield* add(large), yield* add({ args: ["two"] }), yield* add(large)]
      const answer = yield* odin.get(plugins)
      assert.isBelow(answer.text.length, room + 100_000)
      const found = ok(answer).plugins
      const idOf = ({ id }: { readonly id: string }) => id
      const [large1, least1] = [before[1], before[0]]
      assert.deepStrictEqual(found.map(idOf), [...newest.reverse(), large1, least1].map(idOf))
      for (const plugin of found.slice(0, 3)) {
        assert.deepStrictEqual(plugin, ok(yield* odin.get(`${plugins}/${plugin.id}`)))
      }
      const [cut, whole] = found.slice(3)
      assert.deepStrictEqual(cut.manifest, least)
      assert.sameMembers(cut.manifest_omitted, ["args", "capabilities"])
      assert.deepStrictEqual(ok(yield* odin.get(`${plugins}/${cut.id}`)).manifest, large1.manifest)
      // It has nothing that could be left out.
      assert.deepStrictEqual(whole, ok(yield* odin.get(`${plugins}/${whole.id}`)))
      yield* clear
    })
  )

  it.effect("may have the manifest of another, and is listed before it", () =>
    Effect.gen(function* () {
      yield* clear
      const { odin } = yield* Cast
      const [first, second] = [yield* addExternal(odin), yield* addExternal(odin)]
      assert.notStrictEqual(first.connection.token, second.connection.token)
      assert.deepStrictEqual(
        (yield* list).map(({ id }: { readonly id: string }) => id),
        [second.id, first.id]
      )
    })
  )

  it.effect("is refused with all that is wrong with its manifest", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      assertProblem(yield* postExternal(odin, { id: "no id", name: "", args: [1] }), PluginManifestInvalid, {
        issues: [
          { field: "args.0", rule: "must be a string" },
          {
            field: "id",
            rule: "must have letters, digits and hyphens, and begin and end with a letter or digit"
          },
          { field: "name", rule: "must not be blank" },
          { field: "author", rule: "is missing" }
        ]
      })
      const many = { ...least, args: Array(60).fill(1) }
      const answer = yield* postExternal(odin, many)
      assertProblem(answer, PluginManifestInvalid)
      assert.strictEqual(answer.json.metadata.issues.length, 50)
      assert.strictEqual(answer.json.metadata.more, 10)
      const { id } = yield* addExternal(odin)
      assertProblem(yield* odin.patch(`${plugins}/${id}/manifest`, {}), PluginManifestInvalid)
      assert.deepStrictEqual(ok(yield* odin.get(`${plugins}/${id}`)).manifest, least)
    })
  )

  it.effect("is refused without a mode, or with what its mode needs", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const body of [
        {},
        { mode: "other" },
        { mode: "external" },
        { mode: "external", manifest: [] },
        { mode: "supervised" }
      ]) {
        const answer = yield* odin.post(plugins, body)
        assert.strictEqual(answer.status, 400, JSON.stringify(body))
      }
      for (const url of ["", "no address", "ftp://files.example/a.zip"]) {
        assert.strictEqual((yield* odin.post(plugins, { mode: "supervised", url })).status, 400, url)
      }
      const { id } = yield* addExternal(odin)
      assertInvalid(yield* odin.patch(`${plugins}/${id}/manifest`, []), "body")
    })
  )

  it.effect("gets another token, by which alone it is known", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { connection, id } = yield* addExternal(odin)
      const { token } = ok(yield* odin.post(`${plugins}/${id}/token`))
      assert.isTrue(isPluginToken(token))
      assert.notStrictEqual(token, connection.token)
      assert.strictEqual(ok(yield* odin.get(`${plugins}/${id}`)).connection.token, token)
      const [row] = yield* sql<{
        readonly text: string
      }>`select plugins::text as text from plugins where id = ${id}`
      assert.notInclude(row?.text, token.slice(6))
      assert.notInclude(row?.text, Buffer.from(token).toString("hex"))
      const audited = yield* auditedOf(id)
      assert.deepStrictEqual(audited[1], {
        type: "plugin_token_cycled",
        plugin_instance_id: id,
        name: "Hello",
        by: odin.id
      })
    })
  )

  it.effect("gets another manifest as a whole, and keeps its token", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection, id } = yield* addExternal(odin, { args: ["a"] })
      const manifest = { ...least, id: "other", name: "Other", description: "", version: "" }
      const updated = ok(yield* odin.patch(`${plugins}/${id}/manifest`, { ...manifest, more: {} }))
      assert.deepInclude(updated, { manifest, name: "Other", description: "", version: "", connection })
      assert.deepStrictEqual(ok(yield* odin.get(`${plugins}/${id}`)), updated)
      const audited = yield* auditedOf(id)
      assert.deepStrictEqual(audited[1], {
        type: "plugin_updated",
        plugin_instance_id: id,
        name: "Other",
        changed: "manifest",
        by: odin.id
      })
    })
  )

  it.effect("shows what administrators choose, and that they have chosen nothing", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const fields = [{ id: "word", label: "", description: "", type: "string", default: "Hi" }]
      const declared = { configuration_schema: { fields: [{ id: "word", type: "string", default: "Hi" }] } }
      const { id } = yield* addExternal(odin, declared)
      assert.deepStrictEqual(ok(yield* odin.get(`${plugins}/${id}/configuration-schema`)), { fields })
      assert.deepStrictEqual(ok(yield* odin.get(`${plugins}/${id}/configuration`)), {})
      const { id: without } = yield* addExternal(odin)
      assert.deepStrictEqual(ok(yield* odin.get(`${plugins}/${without}/configuration-schema`)), {
        fields: []
      })
    })
  )

  it.effect("has no archive", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = yield* addExternal(odin)
      const about = { plugin_instance_id: id }
      assertProblem(yield* odin.get(`${plugins}/${id}/package`), PluginNotSupervised, about)
    })
  )

  it.effect("is gone once it was deleted, and its bot can do nothing more, though it stays", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* addExternal(odin)
      yield* grant(freya, permission)
      const bot = yield* withKey(freya)
      assert.strictEqual((yield* bot.get("/accounts")).status, 200)
      yield* sql`update plugins set account_id = ${freya.id} where id = ${id}`
      assert.strictEqual((yield* odin.delete(`${plugins}/${id}`)).status, 204)
      assertProblem(yield* odin.get(`${plugins}/${id}`), PluginNotFound, { plugin_instance_id: id })
      assertProblem(yield* odin.delete(`${plugins}/${id}`), PluginNotFound, { plugin_instance_id: id })
      assertProblem(yield* bot.get("/accounts"), Unauthenticated)
      assert.strictEqual((yield* freya.get("/accounts")).status, 200)
      const audited = yield* auditedOf(id)
      assert.deepStrictEqual(audited[1], {
        type: "plugin_removed",
        plugin_instance_id: id,
        name: "Hello",
        by: odin.id
      })
    })
  )

  it.effect("is one of as many as there may be, under fifty requests", () =>
    Effect.gen(function* () {
      yield* clear
      const { odin } = yield* Cast
      yield* Effect.forEach(Array(pluginsMax - 10), () => postExternal(odin))
      const answers = yield* fifty(() => postExternal(odin))
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 10)
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        assertProblem(answer, TooManyPlugins, { maximum: pluginsMax })
      }
      yield* clear
    })
  )

  it.effect("has one token after fifty requests for another", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = yield* addExternal(odin)
      const answers = yield* fifty(() => odin.post(`${plugins}/${id}/token`))
      const tokens = answers.map((answer) => ok(answer).token)
      assert.strictEqual(new Set(tokens).size, 50)
      assert.include(tokens, ok(yield* odin.get(`${plugins}/${id}`)).connection.token)
    })
  )

  it.effect("shows that it is waited for again when its instance is gone", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { added_at, id } = yield* addExternal(odin)
      const until = new Date(Date.parse(added_at) + 60_000)
      yield* sql`update plugins set state = 'active', lease_holder = ${"h".repeat(43)}, lease_until = ${until} where id = ${id}`
      const status = () => Effect.map(odin.get(`${plugins}/${id}`), (answer) => ok(answer).status)
      assert.deepStrictEqual(yield* status(), { active_state: "active", activated_at: added_at })
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* status(), {
        active_state: "connecting",
        connecting_at: until.toISOString()
      })
    })
  )
})

layer(People.layer)("plugins", (it) => {
  it.effect("are the matter of administrators alone", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { id } = yield* addExternal(odin)
      for (const path of ["", `/${id}`, `/${id}/configuration`, `/${nobody}`]) {
        assertProblem(yield* guest.get(`${plugins}${path}`), Unauthenticated)
        assertProblem(yield* freya.get(`${plugins}${path}`), Forbidden)
      }
      assertProblem(yield* postExternal(freya), Forbidden)
      assertProblem(yield* freya.delete(`${plugins}/${id}`), Forbidden)
    })
  )

  it.effect("of each mode refuse what is for the other", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* addExternal(odin)
      yield* sql`update plugins set mode = 'supervised', wanted = false, token = null, token_hash = null,
        package_store = 'disk', package_key = 'gone', package_size = 1, package_hash = sha256('') where id = ${id}`
      const about = { plugin_instance_id: id }
      assertProblem(yield* odin.post(`${plugins}/${id}/token`), PluginNotExternal, about)
      assertProblem(yield* odin.patch(`${plugins}/${id}/manifest`, {}), PluginNotExternal, about)
    })
  )
})

layer(People.withCast(TestApp.layerWhere({ pluginsEnabled: false })))("an instance without plugins", (it) => {
  it.effect("refuses all operations on them, and does not say that it has any", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      assertProblem(yield* odin.get(plugins), PluginsDisabled)
      assertProblem(yield* guest.get(plugins), PluginsDisabled)
      assertProblem(yield* postExternal(odin), PluginsDisabled)
      assertProblem(yield* odin.post(plugins, "{", { "content-type": "application/json" }), PluginsDisabled)
      const ofPlugins = operations.filter(({ path }) => path.startsWith(`/api${plugins}/`))
      assert.isAbove(ofPlugins.length, 10)
      for (const { method, path } of ofPlugins) {
        assertProblem(yield* call(method, path, { headers: odin.headers }), PluginsDisabled)
      }
      assert.notInclude(ok(yield* guest.get("/info")).capabilities, "plugins")
    })
  )

  it.effect("lets no program connect, whatever it says", () =>
    Effect.gen(function* () {
      for (const path of ["/rpc", "/rpc?token=sdprt_00000000000000000000000000000000"]) {
        const { refused } = yield* dial(path)
        assert.strictEqual((yield* Effect.promise(() => refused)).status, 404)
      }
    })
  )
})
