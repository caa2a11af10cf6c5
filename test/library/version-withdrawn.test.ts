/** Drafts of pages that were taken back: whose they stay, and who rejects them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NodeDraftExists, NodeNotFound } from "../../src/domain/library/Node.ts"
import { NodeVersionNotFound } from "../../src/domain/library/NodeVersion.ts"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { idsOf, ok } from "../support/answers.ts"
import { grant, guest, type Person, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as LibraryPeople from "./versionSupport.ts"
import {
  change,
  draft,
  field,
  read,
  Staff,
  tryApply,
  tryDraft,
  versionsPath,
  write
} from "./versionSupport.ts"

const show = (owner: Person, page: { readonly id: string }, visibility: string) =>
  Effect.map(owner.patch(`/nodes/${page.id}/visibility`, { visibility }), ok)

const draftsOf = (person: Person) => Effect.map(person.get("/nodes/drafts"), (answer) => ok(answer).drafts)

const contributor = (name: string) =>
  Effect.tap(signUp(name), (person) => grant(person, "SUBMIT_LIBRARY_NODE_CHANGES"))

const withoutReading = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`update roles set permissions = array_remove(permissions, 'READ_PUBLISHED_LIBRARY')
      where name in ('Member', 'Guest')`
    const restore = sql`update roles set permissions = permissions || '{READ_PUBLISHED_LIBRARY}'
      where name in ('Member', 'Guest')`
    return yield* Effect.ensuring(effect, Effect.orDie(restore))
  })

layer(LibraryPeople.layer)("the draft of a page that was taken back", (it) => {
  it.effect("stays its author's to list, read and delete, without what the page says since", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Staff
      const author = yield* contributor("author")
      const owner = yield* signUp("owner")
      for (const visibility of ["draft", "unlisted", "review"]) {
        const page = ok(yield* owner.post("/nodes", { name: `Back ${visibility}`, tags: ["old"] }))
        yield* show(owner, page, "published")
        const history = yield* change(odin, page, { name: `Then ${visibility}` })
        const own = yield* draft(
          author,
          { ...page, slug: page.id },
          {
            name: `Proposed ${visibility}`,
            description: "Mine",
            meta: { mine: true }
          }
        )
        yield* show(owner, page, visibility)
        ok(yield* owner.patch(`/nodes/${page.id}`, { tags: ["secret"], hide_child_tree: true }))
        ok(yield* owner.post("/nodes", { name: `Within ${visibility}`, parent: page.id }))
        const [listed, ...others] = yield* draftsOf(author)
        assert.deepStrictEqual(others, [])
        const { node, ...version } = listed
        assert.deepStrictEqual(version, own)
        assert.deepStrictEqual(node, {
          id: page.id,
          createdAt: page.createdAt,
          updatedAt: own.updated_at,
          misc: {
            omitted: ["meta", "tags", "properties", "child_property_schema", "content", "link", "assets"]
          },
          name: own.name,
          slug: page.id,
          description: "Mine",
          owner: page.owner,
          visibility,
          hide_child_tree: false,
          recomentations: [],
          children: []
        })
        const { slug } = yield* read(owner, page)
        for (const mark of [node.slug, slug]) {
          for (const path of ["/draft", `/${own.id}`]) {
            assert.deepStrictEqual(ok(yield* author.get(versionsPath({ ...page, slug: mark }, path))), own)
            assertProblem(yield* author.patch(versionsPath({ ...page, slug: mark }, path), {}), NodeNotFound)
          }
        }
        // What the page was and is stays hidden.
        const at = { ...page, slug: page.id }
        const hidden = versionsPath(at, `/${history.id}`)
        assertProblem(yield* author.get(`/nodes/${page.id}`), NodeNotFound)
        assertProblem(yield* author.get(versionsPath(at)), NodeNotFound)
        assertProblem(yield* author.get(hidden), NodeVersionNotFound)
        assertProblem(yield* author.delete(hidden), NodeVersionNotFound)
        assertProblem(yield* tryDraft(author, at), NodeNotFound)
        for (const person of [guest, loki]) {
          for (const path of ["/draft", `/${own.id}`]) {
            assertProblem(yield* person.get(versionsPath(at, path)), NodeNotFound)
          }
        }
        assertProblem(yield* loki.delete(versionsPath(at, `/${own.id}`)), NodeNotFound)
        ok(yield* author.delete(versionsPath(at, `/${own.id}`)))
        assert.deepStrictEqual(yield* draftsOf(author), [])
        for (const path of ["/draft", `/${own.id}`]) {
          assertProblem(yield* author.get(versionsPath(at, path)), NodeNotFound)
        }
        assertProblem(yield* author.delete(versionsPath(at, `/${own.id}`)), NodeNotFound)
      }
    })
  )

  it.effect("is its author's to change again when the page is published again", () =>
    Effect.gen(function* () {
      const { odin } = yield* Staff
      const author = yield* contributor("returning")
      const page = yield* write(odin, "Returns", { tags: ["kept"] })
      const own = yield* draft(author, page)
      yield* show(odin, page, "draft")
      yield* show(odin, page, "published")
      const [listed] = yield* draftsOf(author)
      assert.deepStrictEqual(
        [listed.id, listed.node.slug, listed.node.tags.length, listed.node.misc],
        [own.id, page.slug, 1, {}]
      )
      ok(yield* author.patch(versionsPath(page, "/draft"), { name: "Again" }))
    })
  )

  it.effect("is counted and paged in the list of its author's", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Staff
      const author = yield* contributor("paging")
      const ids: Array<string> = []
      for (let n = 0; n < 51; n++) {
        const page = yield* write(odin, `Paged ${n}`)
        ids.unshift((yield* draft(author, page)).id)
        if (n % 2 === 0) yield* show(odin, page, "draft")
      }
      const first = ok(yield* author.get("/nodes/drafts"))
      const second = ok(yield* author.get("/nodes/drafts?page=2"))
      assert.deepStrictEqual([first.results, first.total_pages, first.next_page], [50, 2, 2])
      assert.deepStrictEqual([...idsOf(first.drafts), ...idsOf(second.drafts)], ids)
      assert.strictEqual(ok(yield* loki.get("/nodes/drafts")).total_pages, 0)
    })
  )

  it.effect("is listed to who may not read the library any more, and deleted by them", () =>
    Effect.gen(function* () {
      const { odin } = yield* Staff
      const author = yield* contributor("locked-out")
      const page = yield* write(odin, "Closed", { tags: ["closed"] })
      const own = yield* draft(author, page)
      yield* withoutReading(
        Effect.gen(function* () {
          const [listed] = yield* draftsOf(author)
          assert.deepStrictEqual([listed.id, listed.node.slug], [own.id, page.id])
          assert.notProperty(listed.node, "tags")
          assertProblem(yield* author.get(versionsPath(page, "/draft")), Forbidden)
          assertProblem(yield* author.patch(versionsPath(page, "/draft"), {}), NodeNotFound)
          ok(yield* author.delete(versionsPath(page, `/${own.id}`)))
        })
      )
    })
  )

  it.effect("is read and rejected by the owner of the page, as long as it is not published", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const owner = yield* signUp("rejecting")
      const page = ok(yield* owner.post("/nodes", { name: "Mine", visibility: "draft" }))
      for (const visibility of ["draft", "unlisted", "review"]) {
        yield* show(owner, page, "published")
        const proposed = yield* draft(freya, page, { name: "Yours" })
        const path = versionsPath(page, `/${proposed.id}`)
        // Others' drafts of published pages are for managers.
        assertProblem(yield* owner.get(path), NodeVersionNotFound)
        assertProblem(yield* owner.delete(path), NodeVersionNotFound)
        assert.deepStrictEqual(ok(yield* owner.get(versionsPath(page))).versions, [])
        yield* show(owner, page, visibility)
        assertProblem(yield* owner.patch(`/nodes/${page.id}`, { name: "Blocked" }), NodeDraftExists)
        for (const one of [path, versionsPath(page, "/draft")]) {
          assert.deepStrictEqual(ok(yield* owner.get(one)), proposed)
          // They reject it, and do not rewrite it in its author's name.
          assertProblem(yield* owner.patch(one, { name: "Ours" }), NodeVersionNotFound)
        }
        assertProblem(yield* tryApply(owner, page, proposed), Forbidden)
        assert.deepStrictEqual(idsOf(ok(yield* owner.get(versionsPath(page))).versions), [proposed.id])
        assert.deepStrictEqual(yield* draftsOf(owner), [])
        ok(yield* owner.delete(path))
        ok(yield* owner.patch(`/nodes/${page.id}`, { name: "Mine" }))
        assert.deepStrictEqual(yield* draftsOf(freya), [])
      }
      // Another's page is not theirs, whatever its visibility.
      const other = yield* write(odin, "Another's")
      const foreign = yield* draft(freya, other)
      yield* show(odin, other, "unlisted")
      assertProblem(yield* owner.delete(versionsPath(other, `/${foreign.id}`)), NodeNotFound)
      yield* withoutReading(
        Effect.gen(function* () {
          yield* show(owner, page, "draft")
          const last = yield* draft(odin, page)
          ok(yield* owner.delete(versionsPath(page, `/${last.id}`)))
        })
      )
    })
  )

  it.effect("tells managers no more of the page than that it is there", () =>
    Effect.gen(function* () {
      const { freya, mimir } = yield* Staff
      const page = ok(
        yield* freya.post("/nodes", {
          name: "Private",
          content: "<p>Private.</p>",
          tags: ["private"],
          properties: [field("secret", "1")]
        })
      )
      const version = yield* draft(freya, page, { name: "Private still" })
      const listedTo = (person: Person) =>
        Effect.map(draftsOf(person), (drafts) =>
          drafts.find(({ id }: { readonly id: string }) => id === version.id)
        )
      const { node } = yield* listedTo(mimir)
      assert.deepStrictEqual([node.id, node.name, node.slug], [page.id, "Private still", page.id])
      for (const key of ["tags", "content", "properties", "parent"]) assert.notProperty(node, key)
      assert.strictEqual((yield* listedTo(freya)).node.content, page.content)
      yield* show(freya, page, "review")
      assert.strictEqual((yield* listedTo(mimir)).node.content, page.content)
      ok(yield* mimir.delete(versionsPath(page, `/${version.id}`)))
    })
  )
})
