/** Words of the API in the place of names: nothing gets them, and their addresses take what they declare. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { brokenHandleRule } from "../../src/domain/account/Handle.ts"
import { servicesElsewhere } from "../../src/domain/authentication/AuthProvider.ts"
import { fixedSegments } from "../../src/domain/shared/FixedSegments.ts"
import { ForumApi } from "../../src/http/Api.ts"
import { MethodNotAllowed, NotFound } from "../../src/http/contract/RequestProblems.ts"
import { ok } from "../support/answers.ts"
import { category, open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { send } from "../support/raw.ts"

interface Operation {
  readonly method: string
  readonly path: string
}

const operations: Array<Operation> = []
HttpApi.reflect(ForumApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { method, path } }) => operations.push({ method, path })
})

const isParameter = (segment: string) => segment.startsWith(":")

/** Where a path has a word and another a parameter, all before being the same. */
const wordBeside = (path: string, other: string) => {
  const [own, others] = [path.split("/"), other.split("/")]
  const place = own.findIndex(
    (segment, at) => segment !== others[at] && !(isParameter(segment) && isParameter(others[at] ?? ""))
  )
  const [word, parameter] = [own[place], others[place]]
  return word === undefined || parameter === undefined || isParameter(word) || !isParameter(parameter)
    ? undefined
    : { word, parameter: parameter.slice(1) }
}

/** Parameters that take words of the API themselves, and no names. */
const words: Readonly<Record<string, ReadonlyArray<string>>> = { oauth_provider: servicesElsewhere }

/** Whether what a parameter names can have this name: ids are given out, and words do not look like one. */
const canBe = (parameter: string, word: string): boolean =>
  words[parameter]?.includes(word) ?? (!parameter.endsWith("_id") || /^[0-9a-v]{20}$/.test(word))

describe("the words of the API in the place of names", () => {
  it("are the ones that nothing gets for a name", () => {
    const found = new Map<string, Set<string>>()
    for (const { path } of operations) {
      for (const other of operations) {
        const beside = wordBeside(path, other.path)
        if (beside === undefined || !canBe(beside.parameter, beside.word)) continue
        found.set(beside.parameter, (found.get(beside.parameter) ?? new Set()).add(beside.word))
      }
    }
    assert.deepStrictEqual(
      Object.fromEntries([...found].map(([parameter, words]) => [parameter, [...words].toSorted()])),
      Object.fromEntries(Object.entries(fixedSegments).map(([parameter, words]) => [parameter, [...words]]))
    )
  })

  it("are no handles", () => {
    for (const word of fixedSegments.account_handle) assert.strictEqual(brokenHandleRule(word), "reserved")
  })
})

layer(People.layer)("a name that means something else in addresses", (it) => {
  it.effect("is not the slug of a page, whoever gives it", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const word of fixedSegments.node_slug) {
        const named = ok(yield* odin.post("/nodes", { name: word.toUpperCase(), visibility: "published" }))
        assert.strictEqual(named.slug, `${word}-1`)
        assert.strictEqual(ok(yield* odin.get(`/nodes/${word}-1`)).id, named.id)
        assert.strictEqual(ok(yield* odin.patch(`/nodes/${named.id}`, { slug: "free" })).slug, "free")
        assert.strictEqual(ok(yield* odin.patch(`/nodes/${named.id}`, { slug: word })).slug, `${word}-1`)
        ok(yield* odin.patch(`/nodes/${named.id}`, { slug: "free" }))
        const given = ok(yield* odin.post("/nodes", { name: "Other", slug: word }))
        assert.strictEqual(given.slug, `${word}-1`)
        ok(yield* odin.delete(`/nodes/${given.id}`))
        const draft = ok(yield* odin.post("/nodes/free/versions", { slug: word }))
        assert.strictEqual(draft.slug, `${word}-1`)
        const saved = ok(yield* odin.patch("/nodes/free/versions/draft", { slug: word }))
        assert.strictEqual(saved.slug, `${word}-1`)
        const status = { status: "applied" }
        ok(yield* odin.patch(`/nodes/free/versions/${draft.id}/status`, status))
        assert.strictEqual(ok(yield* odin.get(`/nodes/${named.id}`)).slug, `${word}-1`)
      }
    })
  )

  it.effect("is not the slug of a category: null is the filter for threads without one", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const named = yield* category(odin, "Null")
      assert.strictEqual(named.slug, "null-1")
      const within = yield* open(odin, "Within", { category: named.id })
      const without = yield* open(odin, "Without")
      const listed = (slug: string) =>
        Effect.map(guest.get(`/threads?categories=${slug}`), (answer) =>
          ok(answer).threads.map(({ id }: { readonly id: string }) => id)
        )
      assert.deepStrictEqual(yield* listed("null"), [without.id])
      assert.deepStrictEqual(yield* listed("null-1"), [within.id])
      const free = ok(yield* odin.patch("/categories/null-1", { slug: "free" }))
      assert.strictEqual(free.slug, "free")
      assert.strictEqual(ok(yield* odin.patch("/categories/free", { slug: "null" })).slug, "null-1")
      ok(yield* odin.patch("/categories/null-1", { slug: "free" }))
      const given = ok(
        yield* odin.post("/categories", { name: "Given", description: "", colour: "", slug: "null" })
      )
      assert.strictEqual(given.slug, "null-1")
    })
  )
})

layer(People.layer)("an address that is a word of the API", (it) => {
  it.effect("takes what it declares, and not what others take with a parameter in its place", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* grant(odin, "ADMINISTRATOR")
      const shapeOf = (path: string) => path.replace(/:\w+/g, ":")
      const declared = Map.groupBy(operations, ({ path }) => shapeOf(path))
      const order = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
      for (const [shape, group] of declared) {
        const path = shape.replaceAll(":", "vvvvvvvvvvvvvvvvvvvg")
        const own = new Set(group.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])))
        const allow = [...order.filter((method) => own.has(method)), "OPTIONS"]
        const asked = yield* send({ method: "OPTIONS", path })
        assert.strictEqual(asked.headers.allow, allow.join(", "), path)
        for (const method of order.filter((one) => one !== "HEAD" && !own.has(one))) {
          const answer = yield* send({ method, path, headers: odin.headers })
          assertProblem(answer, MethodNotAllowed, { allow })
          assert.strictEqual(answer.headers.allow, allow.join(", "), path)
        }
        if (!own.has("GET")) {
          assert.strictEqual((yield* send({ method: "HEAD", path, headers: odin.headers })).status, 405)
        }
      }
      assertProblem(yield* send({ path: "/api/nodes/drafts/none" }), NotFound)
      const refused = yield* send({ method: "DELETE", path: "/api/nodes/drafts/" })
      assertProblem(refused, MethodNotAllowed, { allow: ["GET", "HEAD", "OPTIONS"] })
    })
  )
})
