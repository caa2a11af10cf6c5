import { assert, describe, it } from "@effect/vitest"
import { decideEvents } from "../../../src/domain/library/NodeEvents.ts"
import { AccountId, NodeId } from "../../../src/domain/shared/Id.ts"
import type { Visibility } from "../../../src/domain/shared/Visibility.ts"

const ownerId = AccountId.make(`${"1".repeat(19)}0`)
const node = { id: NodeId.make("0".repeat(20)), slug: "page", ownerId }

const eventsOf = (before: Visibility | undefined, visibility: Visibility) =>
  decideEvents({ ...node, visibility }, before).map(({ _tag }) => _tag)

describe("the events of a page", () => {
  it.each([
    ["draft", ["NodeCreated"]],
    ["unlisted", ["NodeCreated"]],
    ["review", ["NodeCreated", "NodeSubmittedForReview"]],
    ["published", ["NodeCreated", "NodePublished"]]
  ] as const)("created as %s", (visibility, expected) => {
    assert.deepStrictEqual(eventsOf(undefined, visibility), [...expected])
  })

  it.each([
    ["draft", "draft", ["NodeUpdated"]],
    ["draft", "unlisted", ["NodeUnpublished"]],
    ["draft", "review", ["NodeSubmittedForReview"]],
    ["draft", "published", ["NodePublished"]],
    ["unlisted", "draft", ["NodeUnpublished"]],
    ["unlisted", "unlisted", ["NodeUpdated"]],
    ["unlisted", "review", ["NodeSubmittedForReview"]],
    ["unlisted", "published", ["NodePublished"]],
    ["review", "draft", ["NodeUnpublished"]],
    ["review", "unlisted", ["NodeUnpublished"]],
    ["review", "review", ["NodeUpdated"]],
    ["review", "published", ["NodePublished"]],
    ["published", "draft", ["NodeUnpublished"]],
    ["published", "unlisted", ["NodeUnpublished"]],
    ["published", "review", ["NodeSubmittedForReview"]],
    ["published", "published", ["NodeUpdated"]]
  ] as const)("that was %s and is %s", (before, after, expected) => {
    assert.deepStrictEqual(eventsOf(before, after), [...expected])
  })

  it("name the page, whose it is and how visible, and how visible it was before", () => {
    const { id, slug } = node
    const [created] = decideEvents({ ...node, visibility: "draft" }, undefined)
    const draft = { author_id: ownerId, visibility: "draft" } as const
    assert.deepStrictEqual(created, { _tag: "NodeCreated", id, slug, standing: draft })
    const [withdrawn] = decideEvents({ ...node, visibility: "draft" }, "published")
    const standing = { ...draft, was: "published" } as const
    assert.deepStrictEqual(withdrawn, { _tag: "NodeUnpublished", id, slug, standing })
  })
})
