import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { page } from "../../src/domain/library/NodeExamples.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ThreadNotFound } from "../../src/domain/thread/Thread.ts"
import { ForumApi } from "../../src/http/Api.ts"
import { unrouted } from "../../src/http/contract/RequestProblems.ts"
import { catalogueOf } from "../../src/http/document/ProblemCatalogue.ts"
import type { Answer } from "../support/answers.ts"
import { checkConformance, mismatches } from "../support/conformance.ts"
import { declaredAnswers } from "../support/declared-answers.ts"
import { operations } from "../support/operations.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { looserThanRules } from "../support/requests/described.ts"
import * as TestApp from "../support/TestApp.ts"

layer(TestApp.layer)("the check of answers against the description", (it) => {
  it.effect("finds those that are not as described", () =>
    Effect.gen(function* () {
      const good = yield* guest.get("/info")
      const fails = (change: Partial<Answer>, complaint: RegExp) =>
        assert.throws(() => checkConformance("GET", "/api/info", { ...good, ...change }), complaint)
      const changed = (fields: object) => {
        const json = { ...good.json, ...fields }
        return { json, text: JSON.stringify(json) }
      }
      fails({ status: 418 }, /status that is not declared/)
      fails({ headers: { "content-type": "text/plain" } }, /should be application\/json/)
      fails({ text: "" }, /is empty/)
      fails(changed({ title: 5 }), /\/title must be string/)
      fails(changed({ unheard_of: true }), /unheard_of/)
      fails(
        {
          ...changed({}),
          ...{ text: good.text.replace('"capabilities":["plugins"', '"capabilities":["x"') }
        },
        /capabilities\/0/
      )
      const empty = yield* guest.post("/beacon", "x", { "content-type": "text/plain" })
      const unsaid = { ...empty, headers: { ...empty.headers, "content-length": undefined } }
      assert.throws(() => checkConformance("POST", "/api/beacon", unsaid), /no Content-Length of 0/)
      const problem = yield* guest.get("/accounts")
      const wrong = { ...problem, text: problem.text.replace("unauthenticated", "nonsense") }
      assert.throws(() => checkConformance("GET", "/api/accounts", wrong), /\/type must be equal to constant/)
      const tagless = { ...(yield* guest.get("/docs")), headers: { "content-type": "text/html" } }
      assert.throws(() => checkConformance("GET", "/api/docs", tagless), /has no ETag/)
      assert.throws(() => checkConformance("GET", "/api/made/up", good), /not described/)
    })
  )
})

describe("the check of the description against what is refused", () => {
  const refusal = (place: string, path: string, message: string) => ({
    status: 400,
    json: { type: "/api/problems/invalid-request", metadata: { issues: [{ in: place, path, message }] } }
  })
  const found = (body: object, message: string, path = "/api/threads") =>
    looserThanRules(
      "ThreadCreate",
      { path, text: JSON.stringify(body) },
      refusal("body", "title", `Expected ${message}`)
    ).length

  it("finds rules that it does not say", () => {
    assert.strictEqual(found({ title: "A title" }, "another title"), 1)
    assert.strictEqual(found({ title: 5 }, "another title"), 0)
    assert.strictEqual(found({ title: "A title" }, "text that is not blank"), 0)
    const sorted = (query: string) =>
      looserThanRules(
        "ThreadList",
        { path: `/api/threads${query}`, text: undefined },
        refusal("query", "q", "Expected something else")
      ).length
    assert.strictEqual(sorted("?q=a"), 1)
    assert.strictEqual(sorted(`?q=${"a".repeat(1000)}`), 0)
  })

  it("looks at nothing else", () => {
    const taken = { path: "/api/threads", text: '{"title":"A title"}' }
    for (const answer of [
      { ...refusal("body", "title", "Expected another title"), status: 422 },
      { status: 400, json: { type: "/api/problems/link-invalid" } },
      { status: 200, json: {} }
    ]) {
      assert.deepStrictEqual(looserThanRules("ThreadCreate", taken, answer), [])
    }
  })
})

describe("the check of what is shown in part", () => {
  const part = { $ref: "#/components/schemas/NodeReference" }
  const shown = { ...page, tags: [], meta: {}, misc: {} }
  const without = (...keys: ReadonlyArray<string>) =>
    Object.fromEntries(Object.entries(shown).filter(([key]) => !keys.includes(key)))
  const faults = (value: object) => mismatches(part, value).length

  it("finds what is there and named, and what is neither", () => {
    assert.deepStrictEqual(mismatches(part, shown), [])
    const lacking = without("tags", "meta", "content")
    assert.deepStrictEqual(
      mismatches(part, { ...lacking, misc: { omitted: ["tags", "meta", "content"] } }),
      []
    )
    for (const omitted of [["tags"], ["tags", "content"], []]) {
      assert.isAbove(faults({ ...lacking, misc: { omitted } }), 0, omitted.join())
    }
    for (const key of ["assets", "tags", "meta", "properties", "child_property_schema", "description"]) {
      assert.deepStrictEqual(mismatches(part, { ...without(key), misc: { omitted: [key] } }), [], key)
      assert.isAbove(faults(without(key)), 0, key)
      assert.isAbove(faults({ ...shown, misc: { omitted: [key] } }), 0, key)
    }
    for (const omitted of [[], ["tags", "tags"], ["name"], ["nonsense"], "tags"]) {
      assert.isAbove(faults({ ...without("tags"), misc: { omitted } }), 0)
    }
    assert.isAbove(faults({ ...without("tags"), misc: { omitted: ["tags"], other: 1 } }), 0)
  })

  it("finds that something whole names what it lacks", () => {
    const whole = { $ref: "#/components/schemas/Node" }
    assert.deepStrictEqual(mismatches(whole, shown), [])
    const misc = { omitted: ["content"] }
    assert.isAbove(mismatches(whole, { ...without("content"), misc }).length, 0)
  })
})

describe("the declared answers of which each has to be seen", () => {
  const declared = declaredAnswers()

  it("are the successes and problems of every operation", () => {
    assert.includeMembers(
      [...declared],
      ["ThreadGet 200", "ThreadGet 304", "ThreadGet 403 thread-hidden", "GetVersion 503 shutting-down"]
    )
    for (const { id, isOpen } of operations) {
      assert.include(declared, `${id} 503 shutting-down`)
      assert.strictEqual(declared.includes(`${id} 500 internal-error`), !isOpen, id)
      assert.isTrue(
        declared.some((answer) => new RegExp(`^${id} [23]\\d\\d$`).test(answer)),
        id
      )
    }
  })

  it("include every problem, except those of requests that reach no operation", () => {
    const named = new Set(declared.map((answer) => answer.split(" ")[2]))
    const outside = catalogueOf(ForumApi).filter(({ name }) => !named.has(name))
    assert.sameMembers(
      outside.map(({ name }) => name),
      unrouted.map(({ problemType }) => problemType.name)
    )
  })
})

layer(People.layer)("the check of a problem", (it) => {
  it.effect("finds whatever differs from it", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const good = yield* freya.get(`/threads/${nobody}`)
      const metadata = { thread_mark: nobody }
      assertProblem(good, ThreadNotFound, metadata)
      const changes: ReadonlyArray<Partial<Answer>> = [
        { status: 400 },
        { headers: { ...good.headers, "content-type": "application/json" } },
        { headers: { ...good.headers, "set-cookie": "a=b" } },
        ...["type", "title", "status", "trace_id", "metadata", "extra"].map((field) => ({
          json: { ...good.json, [field]: "other" }
        })),
        { json: { ...good.json, trace_id: "0".repeat(32) } },
        { json: { ...good.json, metadata: { ...metadata, extra: 1 } } }
      ]
      for (const change of changes) {
        assert.throws(
          () => assertProblem({ ...good, ...change }, ThreadNotFound, metadata),
          "GET /api/threads",
          JSON.stringify(change)
        )
      }
      const plain = yield* guest.get("/accounts")
      const withMetadata = { ...plain, json: { ...plain.json, metadata } }
      assert.throws(() => assertProblem(withMetadata, Unauthenticated))
    })
  )

  it.effect("finds an invalid request that names other places", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const answer = yield* freya.post("/threads", { title: "x".repeat(256), pinned: "x" })
      assertInvalid(answer, "body title", "body pinned")
      for (const places of [["body title"], ["body title", "body pinned", "body url"], ["title", "pinned"]]) {
        assert.throws(() => assertInvalid(answer, ...places))
      }
    })
  )
})
