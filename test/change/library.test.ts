/** What others are told of pages of the library and of proposed changes of them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { setChildFields, setFields, setProperties } from "../library/propertySupport.ts"
import * as LibraryPeople from "../library/versionSupport.ts"
import { draft, Staff, versionsPath, write } from "../library/versionSupport.ts"
import { addChild, page, place, removeChild } from "../library/writeSupport.ts"
import { tells, told } from "./listening.ts"

interface Page {
  readonly id: string
  readonly slug: string
}

const node = (what: string, { id, slug }: Page) => ({ event: `EventNode${what}`, id, slug })

layer(LibraryPeople.layer)("a page", (it) => {
  it.effect("is told of when it is created, and if it is published or waits for review then", () =>
    Effect.gen(function* () {
      const { odin } = yield* Staff
      const cases = [
        ["draft", ["Created"]],
        ["unlisted", ["Created"]],
        ["published", ["Created", "Published"]],
        ["review", ["Created", "SubmittedForReview"]]
      ] as const
      for (const [visibility, expected] of cases) {
        const { answer, changes } = yield* told(page(odin, visibility, { visibility }))
        assert.deepStrictEqual(
          changes,
          expected.map((what) => node(what, answer))
        )
      }
    })
  )

  it.effect("is told of once when its visibility changes, by what it is then", () =>
    Effect.gen(function* () {
      const { odin } = yield* Staff
      const one = yield* page(odin, "Seen")
      const show = (visibility: string) => odin.patch(`/nodes/${one.id}/visibility`, { visibility })
      yield* tells(show("draft"))
      yield* tells(show("published"), node("Published", one))
      yield* tells(show("published"))
      yield* tells(show("review"), node("SubmittedForReview", one))
      yield* tells(show("unlisted"), node("Unpublished", one))
      yield* tells(show("draft"), node("Unpublished", one))
      yield* tells(show("published"), node("Published", one))
      yield* tells(show("draft"), node("Unpublished", one))
    })
  )

  it.effect("is told of as updated whatever of it changes: text, place, properties and their fields", () =>
    Effect.gen(function* () {
      const { odin } = yield* Staff
      const parent = yield* write(odin, "Parent")
      const one = yield* write(odin, "Child")
      const other = yield* write(odin, "Sibling")
      const updated = node("Updated", one)
      yield* tells(odin.patch(`/nodes/${one.id}`, { name: "Child", content: "<p>New</p>" }), updated)
      yield* tells(addChild(odin, parent.slug, one.slug), updated)
      yield* tells(addChild(odin, parent.slug, other.slug), node("Updated", other))
      yield* tells(place(odin, one.slug, { after: other.id }), updated)
      yield* tells(setProperties(odin, one.slug, [{ name: "depth", type: "text", value: "3 m" }]), updated)
      yield* tells(setFields(odin, one.slug, [{ name: "depth", type: "text", sort: "1" }]), updated)
      yield* tells(
        setChildFields(odin, parent.slug, [{ name: "width", type: "text", sort: "1" }]),
        node("Updated", parent)
      )
      yield* tells(removeChild(odin, parent.slug, one.slug), updated)
      const renamed = { id: one.id, slug: "renamed" }
      yield* tells(odin.patch(`/nodes/${one.id}`, { slug: "renamed" }), node("Updated", renamed))
      yield* tells(odin.patch(`/nodes/${one.id}`, {}))
    })
  )

  it.effect("is told of when it is deleted, and what it contains as moved", () =>
    Effect.gen(function* () {
      const { odin } = yield* Staff
      const parent = yield* write(odin, "Doomed")
      const child = yield* write(odin, "Left over", { parent: parent.id })
      yield* tells(odin.delete(`/nodes/${parent.slug}`), node("Deleted", parent), node("Updated", child))
    })
  )
})

layer(LibraryPeople.layer)("a proposed change of a page", (it) => {
  it.effect("is told of when it is made, changed and withdrawn, with who proposed it", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const one = yield* write(odin, "Proposed")
      const made = yield* told(draft(freya, one, { name: "Better" }))
      const version = (what: string, version_id: string) => ({
        event: `EventNodeVersionDraft${what}`,
        node_id: one.id,
        node_slug: one.slug,
        version_id,
        author_id: freya.id
      })
      const { id } = made.answer
      assert.deepStrictEqual(made.changes, [version("Created", id)])
      yield* tells(freya.patch(versionsPath(one, `/${id}`), { name: "Best" }), version("Updated", id))
      yield* tells(freya.patch(versionsPath(one, `/${id}`), {}))
      yield* tells(odin.delete(versionsPath(one, `/${id}`)), version("Deleted", id))
    })
  )

  it.effect("is told of when it is applied, and the page as updated", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      const one = yield* write(odin, "Applied")
      const { id } = yield* draft(freya, one, { name: "Applied to" })
      yield* tells(
        mimir.patch(versionsPath(one, `/${id}/status`), { status: "applied" }),
        node("Updated", one),
        {
          event: "EventNodeVersionDraftApplied",
          node_id: one.id,
          node_slug: one.slug,
          version_id: id,
          author_id: freya.id
        }
      )
    })
  )
})
