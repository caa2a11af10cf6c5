/**
 * What lists, trees, pages and searches show of the library equals what single reads allow: for random histories and
 * every kind of viewer. Another seed and more histories are taken from the environment: VISIBILITY_SEED, VISIBILITY_RUNS.
 */

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { type Answer, idsOf, ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, type Person, query } from "../support/people.ts"

const seed = Number(process.env.VISIBILITY_SEED ?? 20_260_101)
const runs = Number(process.env.VISIBILITY_RUNS ?? 2)
const length = 60

const visibilities = ["published", "published", "review", "review", "unlisted", "draft"] as const
const every = ["draft", "unlisted", "review", "published"]

const number = fc.nat({ max: 1_000_000 })
const step = fc.record({
  does: fc.constantFrom(
    ...(["create", "create", "create", "show", "show", "move", "hide", "delete"] as const),
    ...(["write", "apply", "value"] as const)
  ),
  by: number,
  visibility: fc.constantFrom(...visibilities),
  of: number,
  to: number
})
type Step = {
  readonly does: string
  readonly by: number
  readonly visibility: (typeof visibilities)[number]
  readonly of: number
  readonly to: number
}

/** A page that was made, and what has become of it. */
interface Made {
  readonly id: string
  readonly owner: Person
  visibility: string
  parent: Made | undefined
  hides: boolean
  /** Words that it can be found by: one in its content and one in its properties, if it has any. */
  content: string
  value: string
}

const contents = ["aardvark", "bandicoot", "capybara"]
const values = ["dromedary", "echidna"]
const name = "Common"

const one = <A>(list: ReadonlyArray<A>, index: number): A => {
  const found = list[index % list.length]
  if (found === undefined) throw new Error("There is nothing to choose from")
  return found
}

const above = ({ parent }: Made): ReadonlyArray<Made> =>
  parent === undefined ? [] : [parent, ...above(parent)]

/** All pages in a tree, each with the one that it is within. */
const within = (nodes: ReadonlyArray<Answer["json"]>, parent?: string): ReadonlyArray<string> =>
  nodes.flatMap((node) => [`${node.id} in ${parent}`, ...within(node.children, node.id)])

layer(People.layer)("what is shown of the library", (it) => {
  const act = Effect.fnUntraced(function* ({ by, does, of, to, visibility }: Step, made: Array<Made>) {
    const { freya, loki, odin, tyr } = yield* Cast
    const person = one([freya, loki, tyr], by)
    if (does === "create" || made.length === 0) {
      const parent = made.length === 0 || to % 4 === 0 ? undefined : one(made, to)
      const more = parent === undefined ? {} : { parent: parent.id }
      const answer = yield* person.post("/nodes", { name, slug: `common-${of}-${to}`, ...more })
      if (answer.status === 404) {
        // Nothing is made under a page that its maker may not read.
        assert.strictEqual((yield* person.get(`/nodes/${parent?.id}`)).status, 404)
        return
      }
      const { id } = ok(answer)
      const page = { id, owner: person, visibility: "draft", parent, hides: false, content: "", value: "" }
      made.push(page)
      if (visibility === "draft") return
      ok(yield* person.patch(`/nodes/${id}/visibility`, { visibility }))
      page.visibility = visibility
      return
    }
    const page = one(made, of)
    if (does === "show") {
      ok(yield* odin.patch(`/nodes/${page.id}/visibility`, { visibility }))
      page.visibility = visibility
    } else if (does === "move") {
      const parent = one(made, to)
      if (parent === page || above(parent).includes(page)) return
      ok(yield* odin.patch(`/nodes/${page.id}`, { parent: parent.id }))
      page.parent = parent
    } else if (does === "write") {
      page.content = one(contents, to)
      ok(yield* odin.patch(`/nodes/${page.id}`, { content: `<p>One ${page.content}.</p>` }))
    } else if (does === "apply") {
      page.content = one(contents, to)
      const draft = { content: `<p>Some ${page.content}.</p>` }
      const { id } = ok(yield* odin.post(`/nodes/${page.id}/versions`, draft))
      ok(yield* odin.patch(`/nodes/${page.id}/versions/${id}/status`, { status: "applied" }))
    } else if (does === "value") {
      page.value = one(values, to)
      const [field] = ok(yield* odin.patch(`/nodes/${page.id}`, {})).properties
      const known = field === undefined ? {} : { fid: field.fid }
      const properties = [{ ...known, name: "Animal", type: "text", value: page.value }]
      ok(yield* odin.patch(`/nodes/${page.id}/properties`, { properties }))
    } else if (does === "hide") {
      ok(yield* odin.patch(`/nodes/${page.id}`, { hide_child_tree: !page.hides }))
      page.hides = !page.hides
    } else {
      ok(yield* odin.delete(`/nodes/${page.id}`))
      made.splice(made.indexOf(page), 1)
      for (const child of made) if (child.parent === page) child.parent = undefined
    }
  })

  /** The pages that a viewer can read one by one; what each shows besides is compared. */
  const readableBy = Effect.fnUntraced(function* (viewer: Person, made: ReadonlyArray<Made>, about: string) {
    const answers = new Map<Made, Answer["json"]>()
    for (const page of made) {
      const answer = yield* viewer.get(`/nodes/${page.id}`)
      if (answer.status === 200) answers.set(page, answer.json)
      else assert.strictEqual(answer.status, 404, about)
    }
    for (const [page, { children, parent }] of answers) {
      const isShown = page.parent !== undefined && answers.has(page.parent)
      assert.strictEqual(parent?.id, isShown ? page.parent?.id : undefined, about)
      const expected = [...answers.keys()].filter((other) => other.parent === page)
      assert.deepStrictEqual(idsOf(children).toSorted(), idsOf(expected).toSorted(), about)
      const listed = ok(yield* viewer.get(`/nodes/${page.id}/children`)).nodes
      assert.deepStrictEqual(idsOf(listed), idsOf(children), about)
    }
    return new Set(answers.keys())
  })

  /** A search finds what is published, for everyone. */
  const checkSearches = Effect.fnUntraced(function* (
    viewer: Person,
    made: ReadonlyArray<Made>,
    about: string
  ) {
    const published = made.filter(({ visibility }) => visibility === "published")
    for (const q of [name, ...contents, ...values]) {
      const expected = published.filter(({ content, value }) => q === name || content === q || value === q)
      const { items, results } = ok(yield* viewer.get(`/datagraph${query({ kind: "node", q })}`))
      const found = items.map(({ ref }: Answer["json"]) => ref)
      assert.deepStrictEqual(idsOf(found).toSorted(), idsOf(expected).toSorted(), `${q}, ${about}`)
      assert.strictEqual(results, expected.length, about)
    }
    const { items } = ok(yield* viewer.get(`/datagraph/matches${query({ kind: "node", q: "comm" })}`))
    assert.lengthOf(items, Math.min(published.length, 20), about)
    for (const { id } of items) assert.include(idsOf(published), id, about)
  })

  it.effect("is what single reads allow", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* grant(tyr, "MANAGE_LIBRARY")
      const histories = fc.sample(fc.array(step, { minLength: length, maxLength: length }), {
        seed,
        numRuns: runs
      })
      for (const [index, history] of histories.entries()) {
        yield* sql`truncate nodes cascade`
        yield* sql`delete from search_texts where kind = 'node'`
        const made: Array<Made> = []
        for (const step of history) yield* act(step, made)

        for (const viewer of [guest, freya, loki, tyr, odin]) {
          const about = `history ${index} of seed ${seed} as ${viewer.id}`
          const readable = yield* readableBy(viewer, made, about)
          yield* checkSearches(viewer, made, about)

          for (const visibility of [[], ["draft"], ["review", "unlisted"], every]) {
            const asked = visibility.length === 0 ? ["published"] : visibility
            const isListed = (page: Made) => readable.has(page) && asked.includes(page.visibility)
            const isOpen = (page: Made) => above(page).every(({ hides }) => !hides)
            const expected = made.filter((page) => isListed(page) && isOpen(page))

            const flat = ok(yield* viewer.get(`/nodes${query({ format: "flat", visibility })}`)).nodes
            assert.deepStrictEqual(idsOf(flat).toSorted(), idsOf(expected).toSorted(), about)
            for (const { id, parent } of flat) {
              const page = made.find((other) => other.id === id)
              const isShown = page?.parent !== undefined && readable.has(page.parent)
              assert.strictEqual(parent?.id, isShown ? page.parent?.id : undefined, about)
            }

            const tree = ok(yield* viewer.get(`/nodes${query({ visibility })}`)).nodes
            const inTree = expected.filter((page) => above(page).every(isListed))
            assert.deepStrictEqual(
              within(tree).toSorted(),
              inTree.map(({ id, parent }) => `${id} in ${parent?.id}`).toSorted(),
              about
            )
          }
        }
      }
    })
  )
})
