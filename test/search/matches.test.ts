import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person, query, suspend } from "../support/people.ts"
import { assertInvalid } from "../support/problems.ts"

const matches = (
  q: string,
  more: Readonly<Record<string, string | ReadonlyArray<string>>> = {},
  who: Person = guest
) => Effect.map(who.get(`/datagraph/matches${query({ q, ...more })}`), ok)

const names = (...parameters: Parameters<typeof matches>) =>
  Effect.map(matches(...parameters), ({ items }) => items.map(({ name }: { readonly name: string }) => name))

layer(People.layer)("suggestions of titles", (it) => {
  it.effect("begin with a word that is typed, whatever its case and accents", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      for (const title of [
        "Java",
        "About JavaScript",
        "C++ basics",
        "Python (snake_case)",
        "Node.js",
        "École normale",
        "Матлаб и данные",
        "学习编程入门",
        "プログラミング言語",
        "한국어 배우기",
        "تعلم البرمجة"
      ]) {
        yield* open(freya, title)
      }
      for (const [q, found] of [
        ["Jav", ["Java", "About JavaScript"]],
        ["JavaS", ["About JavaScript"]],
        ["jAVA", ["Java", "About JavaScript"]],
        ["vaScript", []],
        ["c++", ["C++ basics"]],
        ["snake", ["Python (snake_case)"]],
        ["(sna", ["Python (snake_case)"]],
        ["node.j", ["Node.js"]],
        ["js", ["Node.js"]],
        ["ecole", ["École normale"]],
        ["e\u0301COLE nor", ["École normale"]],
        ["мат", ["Матлаб и данные"]],
        ["ДАН", ["Матлаб и данные"]],
        ["学习", ["学习编程入门"]],
        ["编程", ["学习编程入门"]],
        ["门", ["学习编程入门"]],
        ["言語", ["プログラミング言語"]],
        ["한국", ["한국어 배우기"]],
        ["배", ["한국어 배우기"]],
        ["تع", ["تعلم البرمجة"]],
        ["البر", ["تعلم البرمجة"]],
        ["%", []],
        ["_", []],
        ["", []],
        [" \n", []],
        ["\u0301", []],
        ["' or 1=1 --", []]
      ] as const) {
        assert.deepStrictEqual(yield* names(q), [...found], q)
      }
    })
  )

  it.effect("that have more of the typed words come first, then those that begin with all of it", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      for (const title of [
        "Matlab Data import",
        "Dark data",
        "Matlab",
        "About Matlab dates",
        "Matlabish",
        "Matlab Da"
      ]) {
        yield* open(freya, title)
      }
      assert.deepStrictEqual(yield* names("Matlab Da"), [
        "Matlab Da",
        "Matlab Data import",
        "About Matlab dates",
        "Matlab",
        "Matlabish",
        "Dark data"
      ])
      assert.deepStrictEqual((yield* names("matlab")).slice(-1), ["Matlabish"])
      // A word counts once, and further ones than eight do not.
      assert.deepStrictEqual((yield* names("dark dark dark matlab dates"))[0], "About Matlab dates")
      assert.deepStrictEqual(yield* names("1 2 3 4 5 6 7 8 dark"), [])
      assert.deepStrictEqual(yield* names("1 2 3 4 5 6 7 dark"), ["Dark data"])
    })
  )

  it.effect("show where a title leads, in 20 items at most", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Zebra crossing", { body: "<p>Stripes</p>" })
      yield* reply(loki, thread.id, "zebra")
      const empty = yield* open(freya, "Zebra")
      const shown = {
        id: thread.id,
        kind: "thread",
        slug: thread.slug,
        name: "Zebra crossing",
        description: "Stripes"
      }
      assert.deepStrictEqual(yield* matches("zebra cr"), {
        items: [shown, { id: empty.id, kind: "thread", slug: empty.slug, name: "Zebra" }]
      })
      for (const kind of ["thread", "post"]) {
        assert.deepStrictEqual(yield* matches("crossing", { kind: [kind, "node"] }), { items: [shown] })
      }
      for (const kind of ["reply", "node", "profile", "collection", "event"]) {
        assert.deepStrictEqual(yield* matches("zebra", { kind }), { items: [] })
      }
      for (let n = 0; n < 25; n++) yield* open(freya, `Quagga ${n}`)
      const many = yield* names("quag")
      assert.strictEqual(many.length, 20)
      assert.deepStrictEqual(many.slice(0, 2), ["Quagga 24", "Quagga 23"])
      assert.deepStrictEqual((yield* names("quagga 0"))[0], "Quagga 0")
    })
  )

  it.effect("are published threads that are there, under their titles of now", () =>
    Effect.gen(function* () {
      const { freya, odin, tyr } = yield* Cast
      const draft = yield* open(freya, "Ocelot draft", { visibility: "draft" })
      const thread = yield* open(freya, "Ocelot")
      for (const who of [guest, freya, odin, tyr])
        assert.deepStrictEqual(yield* names("oce", {}, who), ["Ocelot"])
      ok(yield* freya.patch(`/threads/${thread.id}`, { title: "Lynx" }))
      assert.deepStrictEqual(yield* names("oce"), [])
      assert.deepStrictEqual(yield* names("lyn"), ["Lynx"])
      ok(yield* tyr.patch(`/posts/${draft.id}`, { visibility: "published" }))
      assert.deepStrictEqual(yield* names("oce"), ["Ocelot draft"])
      ok(yield* freya.patch(`/threads/${thread.id}`, { visibility: "unlisted" }))
      assert.deepStrictEqual(yield* names("lyn", {}, freya), [])
      ok(yield* freya.delete(`/threads/${draft.id}`))
      assert.deepStrictEqual(yield* names("oce"), [])
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(
        yield* sql`select from search_words where item_id in (${draft.id}, ${thread.id})`,
        []
      )
    })
  )

  it.effect("need what is typed, which may be empty, and known kinds", () =>
    Effect.gen(function* () {
      assertInvalid(yield* guest.get("/datagraph/matches"), "query q")
      assertInvalid(yield* guest.get("/datagraph/matches?kind=thread"), "query q")
      for (const empty of ["?q=", "?q", "?q=&q=", "?q=&kind="]) {
        assert.deepStrictEqual(ok(yield* guest.get(`/datagraph/matches${empty}`)), { items: [] })
      }
      assert.deepStrictEqual(ok(yield* guest.get("/datagraph/matches?q=oce&q=lyn")), { items: [] })
      assertInvalid(yield* guest.get("/datagraph/matches?q=a&kind=robot"), "query kind.0")
      assertInvalid(yield* guest.get(`/datagraph/matches${query({ q: "x".repeat(201) })}`), "query q")
      assert.deepStrictEqual(yield* names("x ".repeat(100)), [])
      assert.deepStrictEqual(yield* names("学".repeat(200)), [])
      assert.deepStrictEqual(yield* names("\u{10ffff}"), [])
    })
  )
})

layer(People.layer)("suggestions", (it) => {
  it.effect("show nothing to those who may not read threads", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* open(freya, "Heron")
      yield* suspend(loki)
      assert.deepStrictEqual(yield* names("her", {}, loki), [])
      assert.deepStrictEqual(yield* names("her"), ["Heron"])
      yield* sql`update roles set permissions = array_remove(permissions, 'READ_PUBLISHED_THREADS')`
      assert.deepStrictEqual(yield* names("her"), [])
      assert.deepStrictEqual(yield* names("her", {}, freya), [])
    })
  )
})
