import { Effect } from "effect"
import { AssetNotFound } from "../../src/domain/asset/Asset.ts"
import { NodeDraftExists, NodeNotFound, NodeSlugTaken } from "../../src/domain/library/Node.ts"
import {
  NodeInItself,
  NodeNotYours,
  NodePlacementInvalid,
  NodeSlugEmpty,
  NodeVisibilitiesDiffer
} from "../../src/domain/library/NodeProblems.ts"
import { SuggestionsUnavailable } from "../../src/domain/library/Suggestion.ts"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { asset } from "../support/discussion.ts"
import { Cast, nobody } from "../support/people.ts"
import type { Scenario, Scenarios } from "../support/scenarios.ts"
import { draft, page, published } from "./writeSupport.ts"

const file = "asset000000000000000"

/** A page with one above it and one below it, and pages to move. */
const prepare = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  yield* asset(file)
  const above = yield* published(odin, "Write above")
  const node = yield* published(odin, "Write page", {
    parent: above.id,
    tags: ["a"],
    properties: [{ name: "Weight", type: "number", value: "4" }]
  })
  const child = yield* published(odin, "Write child", { parent: node.id })
  const other = yield* published(odin, "Write other", { parent: node.id })
  const deep = yield* published(odin, "Write deep", { parent: child.id })
  const spare = yield* published(odin, "Write spare")
  const hidden = yield* page(odin, "Write hidden")
  const drafted = yield* page(freya, "Write drafted")
  yield* draft(drafted.id, freya)
  return { above, node, child, other, deep, spare, hidden, drafted }
})

type Prepared = Effect.Success<typeof prepare>

const writing = ({ above, drafted, node }: Prepared, { freya, odin }: Cast["Service"]) => {
  const path = `/nodes/${node.id}`
  const all: ReadonlyArray<Scenario> = [
    {
      operation: "NodeCreate",
      when: "by its name",
      call: freya.post("/nodes", { name: "Write one" }),
      expects: 200,
      statements: 12
    },
    {
      operation: "NodeCreate",
      when: "with everything",
      call: odin.post("/nodes", {
        name: "Write all",
        content: "<p>text</p>",
        url: "https://a.test/",
        parent: above.slug,
        tags: ["a", "b"],
        asset_ids: [file],
        primary_image_asset_id: file,
        properties: [{ name: "Height", type: "number", value: "4" }],
        visibility: "published"
      }),
      expects: 200,
      statements: 35
    },
    {
      operation: "NodeCreate",
      when: "published without the permission",
      call: freya.post("/nodes", { name: "x", visibility: "published" }),
      expects: Forbidden
    },
    {
      operation: "NodeCreate",
      when: "without a slug",
      call: freya.post("/nodes", { name: "!" }),
      expects: NodeSlugEmpty
    },
    {
      operation: "NodeCreate",
      when: "with a taken slug",
      call: freya.post("/nodes", { name: "Write above" }),
      expects: NodeSlugTaken
    },
    { operation: "NodeUpdate", when: "of nothing", call: odin.patch(path, {}), expects: 200, statements: 8 },
    {
      operation: "NodeUpdate",
      when: "of its name",
      call: odin.patch(path, { name: "Write page" }),
      expects: 200,
      statements: 12
    },
    {
      operation: "NodeUpdate",
      when: "of everything",
      call: odin.patch(path, {
        name: "Write page",
        slug: "write-page",
        content: "text",
        url: "https://b.test/",
        tags: ["b", "c"],
        asset_ids: [file],
        primary_image_asset_id: null,
        properties: [],
        parent: above.id
      }),
      expects: 200,
      statements: 40
    },
    {
      operation: "NodeUpdate",
      when: "beside a draft",
      call: freya.patch(`/nodes/${drafted.id}`, { name: "x" }),
      expects: NodeDraftExists,
      statements: 2
    },
    {
      operation: "NodeUpdate",
      when: "by others",
      call: freya.patch(path, { name: "x" }),
      expects: NodeNotYours,
      statements: 2
    },
    { operation: "NodeUpdate", when: "unknown", call: odin.patch("/nodes/none", {}), expects: NodeNotFound },
    {
      operation: "NodeUpdateVisibility",
      call: odin.patch(`${path}/visibility`, { visibility: "review" }),
      expects: 200,
      statements: 18
    },
    {
      operation: "NodeUpdateVisibility",
      when: "back",
      call: odin.patch(`${path}/visibility`, { visibility: "published" }),
      expects: 200
    },
    { operation: "NodeAddAsset", call: odin.put(`${path}/assets/${file}`), expects: 200, statements: 14 },
    { operation: "NodeAddAsset", when: "again", call: odin.put(`${path}/assets/${file}`), expects: 200 },
    {
      operation: "NodeRemoveAsset",
      call: odin.delete(`${path}/assets/${file}`),
      expects: 200,
      statements: 14
    },
    {
      operation: "NodeRemoveAsset",
      when: "unknown",
      call: odin.delete(`${path}/assets/${nobody}`),
      expects: AssetNotFound
    }
  ]
  return all
}

const moving = (
  { above, child, deep, hidden, node, other, spare }: Prepared,
  { freya, odin }: Cast["Service"]
) => {
  const path = `/nodes/${node.id}`
  const all: ReadonlyArray<Scenario> = [
    {
      operation: "NodeAddNode",
      call: odin.put(`${path}/nodes/${spare.id}`),
      expects: 200,
      statements: 19
    },
    {
      operation: "NodeAddNode",
      when: "again",
      call: odin.put(`${path}/nodes/${spare.id}`),
      expects: 200,
      statements: 15
    },
    {
      operation: "NodeAddNode",
      when: "in its own child",
      call: odin.put(`/nodes/${child.id}/nodes/${node.id}`),
      expects: 200,
      statements: 22
    },
    {
      operation: "NodeAddNode",
      when: "in its own page further below",
      call: odin.put(`/nodes/${other.id}/nodes/${child.id}`),
      expects: NodeInItself
    },
    {
      operation: "NodeAddNode",
      when: "of another visibility",
      call: odin.put(`/nodes/${hidden.id}/nodes/${spare.id}`),
      expects: NodeVisibilitiesDiffer
    },
    {
      operation: "NodeAddNode",
      when: "by others",
      call: freya.put(`${path}/nodes/${deep.id}`),
      expects: NodeNotYours
    },
    {
      operation: "NodeRemoveNode",
      call: odin.delete(`${path}/nodes/${spare.id}`),
      expects: 200,
      statements: 15
    },
    {
      operation: "NodeRemoveNode",
      when: "again",
      call: odin.delete(`${path}/nodes/${spare.id}`),
      expects: 200,
      statements: 11
    },
    {
      operation: "NodeUpdatePosition",
      when: "among its siblings",
      call: odin.patch(`/nodes/${spare.id}/position`, { before: above.id }),
      expects: 200,
      statements: 15
    },
    {
      operation: "NodeUpdatePosition",
      when: "in another page",
      call: odin.patch(`/nodes/${spare.id}/position`, { parent: node.id, after: other.id }),
      expects: 200,
      statements: 21
    },
    {
      operation: "NodeUpdatePosition",
      when: "next to itself",
      call: odin.patch(`/nodes/${spare.id}/position`, { before: spare.id }),
      expects: NodePlacementInvalid
    },
    {
      operation: "NodeDelete",
      when: "with a target",
      call: odin.delete(`${path}?target_node=${above.id}`),
      expects: 200,
      statements: 27
    },
    {
      operation: "NodeDelete",
      when: "to the top level",
      call: odin.delete(`/nodes/${child.id}`),
      expects: 200,
      statements: 12
    },
    {
      operation: "NodeDelete",
      when: "by others",
      call: freya.delete(`/nodes/${deep.id}`),
      expects: NodeNotYours,
      statements: 2
    }
  ]
  return all
}

const suggesting = ({ freya }: Cast["Service"]): ReadonlyArray<Scenario> =>
  (["Title", "Tags", "Content"] as const).map((kind) => ({
    operation: `NodeGenerate${kind}`,
    call: freya.post(`/nodes/any/${kind.toLowerCase()}`, { content: "text" }),
    expects: SuggestionsUnavailable,
    statements: 1
  }))

export const writeScenarios: Scenarios = Effect.gen(function* () {
  const cast = yield* Cast
  const prepared = yield* prepare
  return [...writing(prepared, cast), ...moving(prepared, cast), ...suggesting(cast)]
})
