import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { changesVersioned, checkDraft } from "../../../src/domain/library/DraftRules.ts"
import type { NodeChanges } from "../../../src/domain/library/Node.ts"
import { AccountId, AssetId, NodeId } from "../../../src/domain/shared/Id.ts"

const page = NodeId.make("0".repeat(20))
const drafter = AccountId.make("0000000000000000000b")
const asset = AssetId.make("1".repeat(20))

describe("a change of a page", () => {
  it.each<readonly [NodeChanges, boolean]>([
    [{ name: "Name" }, true],
    [{ slug: "slug" }, true],
    [{ description: "" }, true],
    [{ content: "" }, true],
    [{ properties: [] }, true],
    [{ meta: {} }, true],
    [{ meta: {}, tags: ["a"] }, true],
    [{}, false],
    [{ url: null }, false],
    [{ url: "https://a.test" }, false],
    [{ tags: [] }, false],
    [{ asset_ids: [asset] }, false],
    [{ asset_sources: ["https://a.test"] }, false],
    [{ primary_image_asset_id: null }, false],
    [{ parent: "other" }, false],
    [{ hide_child_tree: true }, false]
  ])("%j changes what versions have: %s", (changes, isVersioned) => {
    assert.strictEqual(changesVersioned(changes), isVersioned)
    assert.strictEqual(Result.isFailure(checkDraft({ id: page, drafter }, changes)), isVersioned)
    assert.isTrue(Result.isSuccess(checkDraft({ id: page, drafter: undefined }, changes)))
  })
})
